/** Runs that disturb nodes: without a fault, kills, pauses, and restarts in turn. */
import { setTimeout as delay } from 'node:timers/promises';

import type { ClusterRun, RunContext } from './cluster-run.ts';
import type { ClusterNode } from './node.ts';

/** A lease, and what taking over takes. */
const takeoverSeconds = 12;
/** Until HAProxy sends a node no more requests: fall × inter, and the requests under way. */
const noticeSeconds = 2;
/** A node alone is away until it has started again, however busy the host is. */
const startSeconds = 40;

export const undisturbed: ClusterRun = {
  name: 'load',
  summary: 'no fault: each event is handled exactly once',
  rounds: { whole: 4, short: 1 },
  missing: () => undefined,
  excused: () => [],
  async disturb({ workload, rounds }) {
    for (let round = 1; round <= rounds; round += 1) await workload.acknowledge(150);
  },
};

export const kills: ClusterRun = {
  name: 'kill',
  summary: 'kill -9 of one node in turn; it is started again when the others have taken over',
  rounds: { whole: 100, short: 2 },
  missing: () => undefined,
  // HAProxy: no server, or one that ended before it answered.
  excused: () => [502, 503],
  async disturb(context) {
    const { installation, workload, rounds, say } = context;
    const { nodes } = installation;
    for (let round = 1; round <= rounds; round += 1) {
      const node = nodeInTurn(context, round);
      await context.disturb(killed(node, nodes.length), async () => {
        await node.kill();
        // With others, the load goes on without it.
        if (nodes.length > 1) await workload.acknowledge(30);
        await node.start();
        await node.untilReady();
      });
      say(`round ${round}: ${node.name} was killed and is back`);
    }
  },
};

function killed({ name }: ClusterNode, nodes: number) {
  const alone = { api: startSeconds, git: startSeconds };
  const limits = nodes === 1 ? alone : { api: noticeSeconds, git: takeoverSeconds };
  return { name: `kill ${name}`, changesMembership: true, limits };
}

/** In milliseconds: within the lease, and beyond it. */
const shortPause = 3000;
const longPause = 15_000;

export const pauses: ClusterRun = {
  name: 'pause',
  summary: 'SIGSTOP of one node in turn for 3 s, and for 15 s, after which it ends itself',
  rounds: { whole: 12, short: 2 },
  missing: () => undefined,
  excused: () => [502, 503, 504],
  async disturb(context) {
    for (let round = 1; round <= context.rounds; round += 1) {
      const node = nodeInTurn(context, Math.ceil(round / 2));
      if (round % 2 === 1) await pauseWithinLease(context, node);
      else await pauseBeyondLease(context, node);
      context.say(`round ${round}: ${node.name} was stopped and is back`);
    }
  },
};

async function pauseWithinLease(context: RunContext, node: ClusterNode): Promise<void> {
  const seconds = shortPause / 1000 + noticeSeconds;
  const alone = context.installation.nodes.length === 1;
  const limits = { api: alone ? seconds : noticeSeconds, git: seconds };
  const kind = { name: `stop ${node.name} for 3 s`, changesMembership: false, limits };
  await context.disturb(kind, async () => {
    node.pause();
    await delay(shortPause);
    node.continue();
    context.demand(!(await node.endsWithin(3)), `${node.name} ended within its lease.`);
    await node.untilReady();
  });
}

async function pauseBeyondLease(context: RunContext, node: ClusterNode): Promise<void> {
  const alone = context.installation.nodes.length === 1;
  const away = longPause / 1000 + startSeconds;
  const limits = alone ? { api: away, git: away } : { api: noticeSeconds, git: takeoverSeconds };
  const kind = { name: `stop ${node.name} for 15 s`, changesMembership: true, limits };
  await context.disturb(kind, async () => {
    node.pause();
    await delay(longPause);
    node.continue();
    // One alone has lost nothing to another.
    if (!alone) {
      context.demand(await node.endsWithin(5), `${node.name} went on after its lease had ended.`);
      await node.kill();
      await node.start();
    }
    await node.untilReady();
  });
}

export const rollingRestart: ClusterRun = {
  name: 'rolling',
  summary: 'each node is stopped by SIGTERM and started again, the last one first',
  rounds: { whole: 9, short: 3 },
  missing: () => undefined,
  excused: (nodes) => (nodes === 1 ? [503] : []),
  async disturb(context) {
    for (let round = 1; round <= context.rounds; round += 1) {
      const node = nodeInTurn(context, -round);
      await restart(context, node);
      context.say(`round ${round}: ${node.name} was restarted`);
    }
    demandAnswers(context);
  },
};

/** Undefined: there is no earlier version here. */
export const rollingUpgrade = (programFolder: string | undefined): ClusterRun => ({
  name: 'upgrade',
  summary: 'nodes of the version in the folder --from are replaced by this one, the last one first',
  rounds: { whole: 1, short: 1 },
  missing: () => (programFolder === undefined ? 'needs --from' : undefined),
  excused: (nodes) => rollingRestart.excused(nodes),
  prepare: async () => ({
    options: programFolder === undefined ? {} : { programFolder },
    remove: async () => {},
  }),
  async disturb(context) {
    for (const node of context.installation.nodes.toReversed()) {
      node.upgrade();
      await restart(context, node);
      context.say(`${node.name} was upgraded`);
    }
    demandAnswers(context);
  },
});

async function restart(context: RunContext, node: ClusterNode): Promise<void> {
  const alone = context.installation.nodes.length === 1;
  const limits = alone
    ? { api: startSeconds, git: startSeconds }
    : { api: 1, git: 1, functions: 2 };
  const kind = { name: `restart ${node.name}`, changesMembership: true, limits };
  await context.disturb(kind, async () => {
    const status = await node.stop();
    context.demand(status === 0, `${node.name} ended with ${status}.`);
    await node.start();
    await node.untilReady();
  });
}

/** A node that stops finishes the requests under way, and the balancer waits for them. */
function demandAnswers(context: RunContext): void {
  const count = context.workload.journal.refused.get('no answer') ?? 0;
  context.demand(count === 0, `${count} requests got no response.`);
}

/** From 1 on; negative numbers go from the last one backwards. */
function nodeInTurn({ installation: { nodes } }: RunContext, round: number): ClusterNode {
  const node = nodes.at((round > 0 ? round - 1 : round) % nodes.length);
  if (!node) throw new Error('There are no nodes.');
  return node;
}
