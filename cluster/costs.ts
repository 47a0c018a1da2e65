/** `npm run cluster -- costs`: processor time of operations, and whether it grows with the number of nodes. */
import type { Round } from './forge-clients.ts';
import { Installation } from './installation.ts';
import { acknowledgedIn } from './journal.ts';
import { measureOperations, untilFinished } from './operation-costs.ts';
import {
  idleSecondOf,
  totalOf,
  type Used,
  usedBy,
  usedNames,
  usedPerOperation,
  withoutIdle,
} from './processor-time.ts';
import { Workload } from './workload.ts';

/** Against one node. */
const mostMoreTime = 1.15;
const mostRetries = 0.05;
/** Of each client. */
const rounds = 60;
/** Before, so that all nodes have compiled as much of their program. */
const warmUpRounds = 15;
/** Of one installation under the mixed load. */
interface MixedCost {
  readonly operations: number;
  /** By one operation, without what the processes use when idle. */
  readonly used: Used;
  /** Each second, while no client sends requests. */
  readonly idle: Used;
}

/**
 * In milliseconds per operation: first of single operations, then of the mixed load of eight clients for each node. That is
 * measured several times in turn, since what else runs on the host changes; the medians are compared. What idle processes use is a row of its own.
 */
export async function measureCosts({
  most,
  passes,
  inTurn,
}: {
  readonly most: number;
  readonly passes: number;
  /** As for the balancer. */
  readonly inTurn: boolean;
}): Promise<void> {
  printLine('operation', ['count', ...usedNames, 'all']);
  for (let nodes = 1; nodes <= most; nodes += 1)
    await measureOperations({ nodes, inTurn }, (name, count, used) =>
      print(`${name}, nodes: ${nodes}`, count, used),
    );
  const measured = Array.from({ length: most }, (): MixedCost[] => []);
  for (let pass = 1; pass <= passes; pass += 1) {
    for (const [index, costs] of measured.entries()) {
      const cost = await mixedCost(index + 1, inTurn);
      print(`pass ${pass}, nodes: ${index + 1}`, cost.operations, cost.used);
      costs.push(cost);
    }
  }
  const [one, ...more] = measured.map(medianOf);
  if (one) judge(one, more);
}

function judge(one: MixedCost, more: readonly MixedCost[]): void {
  for (const [index, { operations, used, idle }] of [one, ...more].entries()) {
    const nodes = index + 1;
    print(`mixed, nodes: ${nodes}`, operations, used);
    print(`idle second, nodes: ${nodes}`, 1, idle);
    const times = totalOf(used) / totalOf(one.used);
    process.stdout.write(`nodes: ${nodes}, ${times.toFixed(3)} times the time of one node\n`);
    if (times > mostMoreTime) fail(nodes, 'takes more processor time');
    if (used.retries > mostRetries) fail(nodes, 'retries more');
  }
}

/** By the time in all. */
function medianOf(costs: readonly MixedCost[]): MixedCost {
  const sorted = costs.toSorted((one, other) => totalOf(one.used) - totalOf(other.used));
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  if (!median) throw new Error('Nothing was measured.');
  return median;
}

function fail(nodes: number, what: string): void {
  process.stdout.write(`FAILED: an operation with ${nodes} nodes ${what} than it may.\n`);
  process.exitCode = 1;
}

function print(name: string, count: number, used: Used): void {
  const numbers = usedNames.map((key) => used[key].toFixed(key === 'retries' ? 3 : 2));
  printLine(name, [String(count), ...numbers, totalOf(used).toFixed(2)]);
}

function printLine(name: string, columns: readonly string[]): void {
  process.stdout.write(`${name.padEnd(38)}${columns.map((text) => text.padStart(10)).join('')}\n`);
}

async function mixedCost(nodes: number, inTurn: boolean): Promise<MixedCost> {
  const installation = await Installation.start({ nodes, inTurn });
  try {
    const workloads: Workload[] = [];
    try {
      for (let number = 1; number <= nodes; number += 1)
        workloads.push(await Workload.prepare(installation, { suffix: `${number}` }));
      const written = (): number =>
        workloads.reduce((sum, { journal }) => sum + acknowledgedIn(journal), 0);
      await playRounds(workloads, 1, warmUpRounds);
      await untilFinished(installation);
      const idle = await idleSecondOf(installation);
      const before = usedBy(installation);
      const started = performance.now();
      const writtenBefore = written();
      await playRounds(workloads, warmUpRounds + 1, rounds);
      // What an operation leaves to be done is its cost as well.
      await untilFinished(installation);
      const after = usedBy(installation);
      const operations = written() - writtenBefore;
      const seconds = (performance.now() - started) / 1000 / operations;
      const used = usedPerOperation(before, after, operations);
      return { operations, used: withoutIdle(used, idle, seconds), idle };
    } finally {
      for (const workload of workloads) workload.close();
    }
  } finally {
    await installation.remove();
  }
}

async function playRounds(
  workloads: readonly Workload[],
  first: number,
  count: number,
): Promise<void> {
  const clients = workloads.flatMap((workload) => workload.rounds());
  await Promise.all(clients.map((client) => repeat(client, first, count)));
}

/** A round that another client was faster in is an operation less. */
async function repeat({ work }: Round, first: number, count: number): Promise<void> {
  for (let round = first; round < first + count; round += 1) await work(round).catch(() => {});
}
