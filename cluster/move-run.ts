/** The run that ends nodes while a network of repositories moves between shards. */
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { elapsed } from '../faults/server-under-test.ts';
import type { ClusterRun, RunContext } from './cluster-run.ts';
import { bareRepositories } from './left-behind.ts';
import type { ClusterNode } from './node.ts';
import {
  addShard,
  defaultShardName,
  folderOf,
  ownerOf,
  untilSpread,
  useAsUsers,
  WriteProbe,
} from './shards.ts';

/** Until HAProxy sends a node no more requests. */
const noticeSeconds = 2;
/** A lease and what taking over takes, and the last changes of the network. */
const writesWaitSeconds = 12 + 4;
/** A lease, the pause after an attempt that failed, and another attempt on a busy machine. */
const moveSeconds = 180;

/** The network goes to and fro between these; the nodes with them do not make the move. */
const shards = ['second', 'third'] as const;
/** Whose owner is killed: that of the shard that the network leaves, that of the one it goes to, and that of the default one, which makes moves. */
const roles = ['source', 'target', 'mover'] as const;

export const killedMoves: ClusterRun = {
  name: 'moves',
  summary:
    'a network moves between two shards while the owner of either, or the node that moves it, is killed in turn',
  rounds: { whole: 24, short: 3 },
  missing: (nodes) => (nodes < 3 ? 'needs --nodes 3' : undefined),
  excused: () => [502, 503],
  async disturb(context) {
    const { workload, rounds, say } = context;
    for (const shard of shards) await addShard(context, shard);
    await untilSpread(context);
    const [first] = shards;
    await move(context, first);
    let [from, to]: readonly string[] = shards;
    let seconds = await move(context, to ?? first);
    for (let round = 1; round <= rounds; round += 1) {
      [from, to] = [to, from];
      if (from === undefined || to === undefined) throw new Error('There are two shards.');
      const role = roles[(round - 1) % roles.length] ?? 'source';
      const victim = await ownerOf(
        context,
        { source: from, target: to, mover: defaultShardName }[role],
      );
      if (!victim) throw new Error(`No node is the ${role}.`);
      // Another part of the move in each round.
      const after = seconds * ((round * goldenRatio) % 1);
      const killed = { victim, role, after, restartsFirst: round % 2 === 1 };
      const result = await moveWhileKilled(context, to, killed);
      say(`round ${round}: ${result.line}`);
      if (result.shard === from) [from, to] = [to, from];
      await untilSpread(context);
    }
    await useAsUsers(context, workload.repository);
    seconds = await move(context, from ?? first);
    say(`undisturbed, it moved in ${seconds.toFixed(1)} s at last`);
  },
};

const goldenRatio = 0.618;

/** Undisturbed. Gives how long it took, in seconds. */
async function move(context: RunContext, to: string): Promise<number> {
  const seconds = await untilEnded(context, await requestMove(context, to));
  context.say(`moved to ${to} in ${seconds.toFixed(1)} s`);
  await requireOneCopy(context, to);
  return seconds;
}

/** Gives when it was requested. */
async function requestMove(context: RunContext, to: string): Promise<number> {
  const { installation, workload } = context;
  await installation.firstNode.server.admin('move-network', workload.repository, to, '--no-wait');
  return performance.now();
}

/** Gives how long it took, in seconds; infinite where it did not end. */
async function untilEnded(context: RunContext, requested: number): Promise<number> {
  const ended = async (): Promise<boolean> => /ended|failed/.test(await stateOfMove(context));
  const waited = await elapsed(ended, moveSeconds);
  return Number.isFinite(waited) ? (performance.now() - requested) / 1000 : waited;
}

interface Killed {
  readonly victim: ClusterNode;
  readonly role: (typeof roles)[number];
  /** In seconds, from the request to move on. */
  readonly after: number;
  /** Whether it is back before the move has ended. */
  readonly restartsFirst: boolean;
}

async function moveWhileKilled(
  context: RunContext,
  to: string,
  { victim, role, after, restartsFirst }: Killed,
): Promise<{ readonly line: string; readonly shard: string }> {
  const { workload } = context;
  // Attempts that are made again are part of it.
  const limits = { api: noticeSeconds, git: moveSeconds };
  const kind = { name: `kill ${victim.name}, ${role} of a move`, changesMembership: true, limits };
  let at = '';
  let took = 0;
  let waited = 0;
  const probe = new WriteProbe(context, workload.repository);
  const requested = await requestMove(context, to);
  await delay(after * 1000);
  await context.disturb(kind, async () => {
    at = await stateOfMove(context);
    await victim.kill();
    const goOn = async (): Promise<void> => {
      await workload.acknowledge(30);
      if (restartsFirst) await victim.start();
    };
    [took] = await Promise.all([untilEnded(context, requested), goOn()]);
    context.demand(Number.isFinite(took), `${kind.name}: the move did not end`);
    await delay(500);
    waited = await probe.end();
    if (!restartsFirst) await victim.start();
    await victim.untilReady();
  });
  context.demand(waited <= writesWaitSeconds, `${kind.name}: writes waited for ${waited} s`);
  const shard = await shardOf(context);
  await requireOneCopy(context, shard);
  const back = restartsFirst ? 'back during it' : 'back after it';
  const result = shard === to ? 'moved' : 'stayed';
  return {
    shard,
    line: `${role} ${victim.name} was killed (${at}), ${back}: ${result} after ${took.toFixed(1)} s, writes waited ${waited.toFixed(2)} s`,
  };
}

/** `ended`: there is none. */
async function stateOfMove(context: RunContext): Promise<string> {
  const [row] = await context.installation.query<{
    state: string;
    step: string | null;
    attempts: string;
  }>('select state, step, attempts from network_moves');
  return row ? `${row.state}, ${row.step ?? 'no step'}, attempt ${row.attempts}` : 'ended';
}

async function shardOf(context: RunContext): Promise<string> {
  const [, name = ''] = context.workload.repository.split('/');
  const [row] = await context.installation.query<{
    name: string | null;
  }>(`select g.name from repositories r join networks n on n.id = r.network_id
      left join git_shards g on g.id = n.shard_id where r.name = '${name}'`);
  return row?.name ?? defaultShardName;
}

/** The files of the repository are in its shard and in no other. */
async function requireOneCopy(context: RunContext, shard: string): Promise<void> {
  const [, name = ''] = context.workload.repository.split('/');
  const [row] = await context.installation.query<{ id: string }>(
    `select id from repositories where name = '${name}'`,
  );
  const found: string[] = [];
  for (const each of [defaultShardName, ...shards]) {
    const copies = await bareRepositories(folderOf(context, each));
    if (copies.some((copy) => basename(copy) === `${row?.id}.git`)) found.push(each);
  }
  context.demand(
    found.join() === shard,
    `${context.workload.repository} is in ${shard}, its files are in ${found.join(' and ')}`,
  );
}
