import { setTimeout as delay } from 'node:timers/promises';

import { faultLines } from '../faults/fault-lines.ts';
import { elapsed } from '../faults/server-under-test.ts';
import { checkers } from './checkers.ts';
import type { ClusterRun, RunContext } from './cluster-run.ts';
import { Installation } from './installation.ts';
import { acknowledgedIn, type Journal, millisecondsAway, type ProbeKind } from './journal.ts';
import { Workload } from './workload.ts';

export interface Outcome {
  readonly acknowledged: number;
  /** What the checkers and the run found, by how the table counts it. */
  readonly lost: readonly string[];
  readonly leftBehind: readonly string[];
  readonly broken: readonly string[];
  /** The longest of all disturbances, in seconds. */
  readonly away: Readonly<Record<ProbeKind, number>>;
  readonly refused: ReadonlyMap<string, number>;
  /** Kinds of errors in the logs of the nodes. */
  readonly notes: readonly string[];
}

interface Options {
  readonly nodes: number;
  /** As for the balancer. */
  readonly inTurn: boolean;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/** Before the first disturbance, and after each. */
const acknowledgedBetween = 30;

/** Starts an installation of its own, disturbs it under load, and checks what is left of what was acknowledged. */
export async function executeRun(
  run: ClusterRun,
  { nodes, inTurn, rounds, say }: Options,
): Promise<Outcome> {
  const host = await run.prepare?.();
  try {
    const installation = await Installation.start({ nodes, inTurn, ...host?.options });
    const workload = await Workload.prepare(installation, { excused: run.excused(nodes) }).catch(
      async (error: unknown) => {
        await installation.remove();
        throw error;
      },
    );
    try {
      const broken: string[] = [];
      const context = contextOf(installation, workload, { rounds, say, broken });
      await workload.underLoad(async () => {
        await workload.acknowledge(acknowledgedBetween);
        await run.disturb(context);
      });
      return await outcomeOf(installation, workload, broken);
    } catch (error) {
      const output = installation.nodes.map((node) => `${node.name}:\n${node.output()}`);
      throw new Error(`The run broke off.\n${output.join('\n').slice(-5000)}`, { cause: error });
    } finally {
      workload.close();
      await installation.remove();
    }
  } finally {
    await host?.remove();
  }
}

function contextOf(
  installation: Installation,
  workload: Workload,
  { rounds, say, broken }: { rounds: number; say: (line: string) => void; broken: string[] },
): RunContext {
  const { journal, client, repository } = workload;
  return {
    installation,
    workload,
    rounds,
    say,
    demand(met, sentence) {
      if (!met) broken.push(sentence);
    },
    async disturb(kind, work) {
      const from = Date.now();
      await work();
      const until = Date.now();
      journal.disturbances.push({ ...kind, from, until });
      const back = await elapsed(async () => {
        const { status } = await client.send('PATCH', `/repos/${repository}`, { has_wiki: true });
        return status === 200;
      });
      if (!Number.isFinite(back)) throw new Error(`Nothing answers after: ${kind.name}.`);
      await workload.acknowledge(acknowledgedBetween);
      // A probe that was held back has ended by then.
      await delay(1000);
    },
  };
}

async function outcomeOf(
  { nodes }: Installation,
  workload: Workload,
  broken: readonly string[],
): Promise<Outcome> {
  const { journal } = workload;
  const observed = await workload.observe();
  const found = checkers.flatMap(({ name, finds, check }) =>
    check(journal, observed).map((sentence) => ({ finds, sentence: `${name}: ${sentence}` })),
  );
  const sentences = (kind: string): string[] =>
    found.filter(({ finds }) => finds === kind).map(({ sentence }) => sentence);
  return {
    acknowledged: acknowledgedIn(journal),
    lost: sentences('lost'),
    leftBehind: sentences('left behind'),
    broken: [
      ...broken,
      ...sentences('broken'),
      ...journal.unexpected.map((text) => `unexpected: ${text}`),
    ],
    away: {
      api: longestAway(journal, 'api'),
      git: longestAway(journal, 'git'),
      functions: longestAway(journal, 'functions'),
    },
    refused: journal.refused,
    notes: nodes.flatMap((node) => faultLines(node.output()).map((line) => `${node.name} ${line}`)),
  };
}

function longestAway(journal: Journal, kind: ProbeKind): number {
  const each = journal.disturbances.map((_, index) => millisecondsAway(journal, index, kind));
  return Math.max(0, ...each) / 1000;
}
