/** The run with several shards of repositories: owners that die and stop, and the shard of the others meanwhile. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import connect from 'postgres';

import { postgresAddress } from '#platform/database/postgres-options.ts';

import { elapsed } from '../faults/server-under-test.ts';
import { git, remoteUrl } from '../scenarios/git-client.ts';
import type { ClusterRun, RunContext } from './cluster-run.ts';
import type { Installation } from './installation.ts';
import type { ClusterNode } from './node.ts';

/** A lease, and what taking over takes. */
const takeoverSeconds = 12;
/** Until HAProxy sends a node no more requests. */
const noticeSeconds = 2;
const handoverSeconds = 1;
/** While the last changes of a network are copied that moves. */
const writesWaitSeconds = 4;

export const severalShards: ClusterRun = {
  name: 'shards',
  about:
    'two shards of repositories: the owner of one is killed, or stopped, in turn; then networks move',
  rounds: { whole: 10, short: 2 },
  missing: (nodes) => (nodes < 3 ? 'needs --nodes 3' : undefined),
  excused: () => [502, 503],
  async disturb(context) {
    const { workload, rounds, say } = context;
    await addShard(context);
    const inDefault = workload.repository;
    const inSecond = await repositoryInSecond(context);
    await useAsUsers(context, inSecond);
    for (let round = 1; round <= rounds; round += 1) {
      const ends = round % 2 === 1 ? ('kill' as const) : ('stop' as const);
      const owner = await ownerOf(context);
      if (!owner) throw new Error(`No node has ${shardName}.`);
      const limits = { api: noticeSeconds, git: takeoverSeconds };
      const kind = { name: `${ends} ${owner.name}`, changesMembership: true, limits };
      await context.disturb(kind, async () => {
        const probes = [new WriteProbe(context, inDefault), new WriteProbe(context, inSecond)];
        if (ends === 'kill') await owner.kill();
        else await owner.stop();
        await workload.acknowledge(30);
        const others = await elapsed(
          async () => ![undefined, owner].includes(await ownerOf(context)),
          20,
        );
        context.demand(Number.isFinite(others), `Nobody took the shard of ${owner.name}.`);
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
    await moveUnderLoad(context, inSecond, 'default');
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

function folderOf({ installation }: RunContext): string {
  return join(installation.folder, 'shards', shardName);
}

async function addShard(context: RunContext): Promise<void> {
  const { installation } = context;
  installation.repositoryFolders.push(folderOf(context));
  await installation.firstNode.server.admin('add-shard', shardName, '--folder', folderOf(context));
  await untilSpread(context);
}

/** No node has two shards. */
async function untilSpread(context: RunContext): Promise<void> {
  const isSpread = async (): Promise<boolean> => {
    const shards = await shardsOf(context);
    const owners = shards.map(({ owner }) => owner?.serverId);
    return !owners.includes(undefined) && new Set(owners).size === shards.length;
  };
  if (!Number.isFinite(await elapsed(isSpread, 30))) throw new Error('The shards were not spread.');
}

interface ShownShard {
  readonly name: string;
  readonly repositories: number;
  readonly owner: { readonly serverId: string; readonly name: string } | null;
}

async function shardsOf({ installation }: RunContext): Promise<readonly ShownShard[]> {
  const running = installation.nodes.find((node) => node.isRunning()) ?? installation.firstNode;
  const shown: readonly ShownShard[] = JSON.parse(
    await running.server.admin('list-shards', '--json'),
  );
  return shown;
}

/** A node is known by the id of its process; undefined while no living node has the shard. */
async function ownerOf(context: RunContext): Promise<ClusterNode | undefined> {
  const owner = (await shardsOf(context)).find(({ name }) => name === shardName)?.owner;
  return context.installation.nodes.find(
    ({ server }) => owner?.name.endsWith(`process ${server.pid}`) === true,
  );
}

/** New repositories go to the shards in turn: one of the second shard. */
async function repositoryInSecond({ workload, installation }: RunContext): Promise<string> {
  const { client, journal } = workload;
  for (let number = 1; number <= 12; number += 1) {
    const name = `spread-${number}`;
    await client.ask('POST', '/user/repos', { name, auto_init: true }, [201]);
    journal.repositories.push(name);
    if ((await shardIdOf(installation, name)) !== 0) return `${client.login}/${name}`;
  }
  throw new Error(`No repository was created in ${shardName}.`);
}

async function shardIdOf({ postgres }: Installation, name: string): Promise<number> {
  const address = postgresAddress(postgres.url);
  const sql = connect(address.url, { ...address.options, max: 1 });
  try {
    const rows = await sql<{ shard: number }[]>`
      select n.shard_id::int as shard from repositories r join networks n on n.id = r.network_id where r.name = ${name}`;
    const [row] = rows;
    if (!row || rows.some(({ shard }) => shard !== row.shard))
      throw new Error(`${name} is in ${rows.length} shards.`);
    return row.shard;
  } finally {
    await sql.end();
  }
}

let uses = 0;

/** A push, a pull that is merged, and a fork, which is in the shard of its parent. */
async function useAsUsers(
  { workload, installation }: RunContext,
  repository: string,
): Promise<void> {
  const { client } = workload;
  const [, name = ''] = repository.split('/');
  uses += 1;
  const branch = `topic-${uses}`;
  const clone = join(installation.folder, `${name}-${uses}`);
  const url = remoteUrl(client.url, client.login, client.token, repository);
  await git(installation.folder, 'clone', '--quiet', url, clone);
  await git(clone, 'switch', '--quiet', '-c', branch);
  await git(clone, 'commit', '--quiet', '--allow-empty', '-m', branch);
  await git(clone, 'push', '--quiet', 'origin', branch);
  const pull = { title: branch, head: branch, base: 'main' };
  const { body } = await client.ask('POST', `/repos/${repository}/pulls`, pull, [201]);
  const merged = async (): Promise<boolean> => {
    const path = `/repos/${repository}/pulls/${body.number}/merge`;
    return (await client.send('PUT', path, {})).status === 200;
  };
  if (!Number.isFinite(await elapsed(merged, 30))) throw new Error(`${branch} was not merged.`);
  const organization = `forks-${uses}`;
  await client.ask(
    'POST',
    '/admin/organizations',
    { login: organization, admin: client.login },
    [201],
  );
  await client.ask('POST', `/repos/${repository}/forks`, { organization }, [202]);
  const isForked = async (): Promise<boolean> =>
    (await client.send('GET', `/repos/${organization}/${name}/branches/main`)).status === 200;
  if (!Number.isFinite(await elapsed(isForked, 30))) throw new Error(`${name} was not forked.`);
  // Throws where parent and fork are in different ones.
  await shardIdOf(installation, name);
}

/** Writes to a repository again and again, and knows for how long that failed. */
class WriteProbe {
  readonly #ending = new AbortController();
  readonly #result: Promise<number>;

  constructor({ workload: { client } }: RunContext, repository: string) {
    this.#result = this.#repeat(async () => {
      const path = `/repos/${repository}/git/blobs`;
      return (await client.send('POST', path, { content: 'probe' })).status;
    });
  }

  /** The longest time between two writes that succeeded, in seconds. */
  end(): Promise<number> {
    this.#ending.abort();
    return this.#result;
  }

  async #repeat(write: () => Promise<number>): Promise<number> {
    let last = performance.now();
    let longest = 0;
    while (!this.#ending.signal.aborted) {
      const status = await write().catch(() => 0);
      if (status === 201) {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }
      await delay(20);
    }
    return Math.max(longest, performance.now() - last) / 1000;
  }
}
