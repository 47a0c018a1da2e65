/** `npm run cluster -- costs`: processor time of operations, and whether it grows with the number of nodes. */
import type { Round } from './forge-clients.ts';
import { Installation } from './installation.ts';
import { acknowledgedIn } from './journal.ts';
import { measureOperations } from './operation-costs.ts';
import { totalOf, type Used, usedBy, usedNames, usedPerOperation } from './processor-time.ts';
import { Workload } from './workload.ts';

/** Against one node. */
const mostMoreTime = 1.15;
const mostRetries = 0.05;
/** Of each client; the same operations whatever the number of nodes. */
const rounds = 60;
const warmUpRounds = 10;

/** In milliseconds per operation: first of single operations of one node, then of the mixed load of all clients. */
export async function measureCosts(most: number): Promise<void> {
  printLine('operation', ['count', ...usedNames, 'all']);
  await measureOperations((name, count, used) => print(name, count, used));
  const costs: { nodes: number; used: Used }[] = [];
  for (let nodes = 1; nodes <= most; nodes += 1) {
    const { operations, used } = await mixedCost(nodes);
    print(`mixed, nodes: ${nodes}`, operations, used);
    costs.push({ nodes, used });
  }
  const [one] = costs;
  for (const { nodes, used } of costs) {
    if (one && totalOf(used) > mostMoreTime * totalOf(one.used)) {
      fail(nodes, 'takes more processor time');
    }
    if (used.retries > mostRetries) fail(nodes, 'retries more');
  }
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
  process.stdout.write(`${name.padEnd(28)}${columns.map((text) => text.padStart(10)).join('')}\n`);
}

async function mixedCost(nodes: number): Promise<{ operations: number; used: Used }> {
  const installation = await Installation.start({ nodes });
  try {
    const workload = await Workload.prepare(installation);
    try {
      await playRounds(workload, 1, warmUpRounds);
      const written = acknowledgedIn(workload.journal);
      const before = usedBy(installation);
      await playRounds(workload, warmUpRounds + 1, rounds);
      const operations = acknowledgedIn(workload.journal) - written;
      return { operations, used: usedPerOperation(before, usedBy(installation), operations) };
    } finally {
      workload.close();
    }
  } finally {
    await installation.remove();
  }
}

async function playRounds(workload: Workload, first: number, count: number): Promise<void> {
  await Promise.all(workload.rounds().map((client) => repeat(client, first, count)));
}

/** A round that another client was faster in is an operation less. */
async function repeat({ work }: Round, first: number, count: number): Promise<void> {
  for (let round = first; round < first + count; round += 1) await work(round).catch(() => {});
}
