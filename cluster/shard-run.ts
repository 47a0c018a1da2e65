/** The run with several shards of repositories: owners that die and stop, and the shard of the others meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';

import { elapsed } from '../faults/server-under-test.ts';
import type { ClusterRun, RunContext } from './cluster-run.ts';
import {
  addShard,
  defaultShardName,
  ownerOf,
  repositoryElsewhere,
  untilSpread,
  useAsUsers,
  WriteProbe,
} from './shards.ts';

/** A lease, and what taking over takes. */
const takeoverSeconds = 12;
/** Until HAProxy sends a node no more requests. */
const noticeSeconds = 2;
const handoverSeconds = 1;
/** While the last changes of a network are copied that moves. */
const writesWaitSeconds = 4;

export const severalShards: ClusterRun = {
  name: 'shards',
  summary:
    'two shards of repositories: the owner of one is killed, or stopped, in turn; then networks move',
  rounds: { whole: 10, short: 2 },
  missing: (nodes) => (nodes < 3 ? 'needs --nodes 3' : undefined),
  excused: () => [502, 503],
  async disturb(context) {
    const { workload, rounds, say } = context;
    await addShard(context, shardName);
    await untilSpread(context);
    const inDefault = workload.repository;
    const inSecond = await repositoryElsewhere(context);
    await useAsUsers(context, inSecond);
    for (let round = 1; round <= rounds; round += 1) {
      const ends = round % 2 === 1 ? ('kill' as const) : ('stop' as const);
      const owner = await ownerOf(context, shardName);
      if (!owner) throw new Error(`No node has ${shardName}.`);
      const limits = { api: noticeSeconds, git: takeoverSeconds };
      const kind = { name: `${ends} ${owner.name}`, changesMembership: true, limits };
      await context.disturb(kind, async () => {
        const probes = [new WriteProbe(context, inDefault), new WriteProbe(context, inSecond)];
        if (ends === 'kill') await owner.kill();
        else await owner.stop();
        await workload.acknowledge(30);
        const others = await elapsed(
          async () => ![undefined, owner].includes(await ownerOf(context, shardName)),
          20,
        );
        context.demand(Number.isFinite(others), `No node took the shard of ${owner.name}.`);
        await delay(500);
        const [first = 0, second = 0] = await Promise.all(probes.map((probe) => probe.end()));
        const times = `default shard away ${first.toFixed(2)} s, its own ${second.toFixed(2)} s`;
        say(`round ${round}: ${ends} ${owner.name}, owner of ${shardName}: ${times}`);
        context.demand(first <= noticeSeconds, `${kind.name}: the other shard, ${first} s`);
        const most = ends === 'kill' ? takeoverSeconds : handoverSeconds;
        context.demand(second <= most, `${kind.name}: its shard was away for ${second} s`);
        await owner.start();
        await owner.untilReady();
      });
      await untilSpread(context);
    }
    await useAsUsers(context, inSecond);
    await moveUnderLoad(context, inSecond, defaultShardName);
    // The clients of the workload use it meanwhile.
    await moveUnderLoad(context, inDefault, shardName);
    await useAsUsers(context, inSecond);
  },
};

const shardName = 'second';

async function moveUnderLoad(
  context: RunContext,
  repository: string,
  shard: string,
): Promise<void> {
  const limits = { api: noticeSeconds, git: writesWaitSeconds };
  const kind = { name: `move ${repository}`, changesMembership: false, limits };
  await context.disturb(kind, async () => {
    const probe = new WriteProbe(context, repository);
    const started = performance.now();
    await context.installation.firstNode.server.admin('move-network', repository, shard);
    const took = (performance.now() - started) / 1000;
    await delay(500);
    const waited = await probe.end();
    context.say(
      `${repository} moved to ${shard} in ${took.toFixed(1)} s, writes waited ${waited.toFixed(2)} s`,
    );
    context.demand(waited <= writesWaitSeconds, `writes waited for ${waited} s during a move`);
  });
}
