/** What runs with several shards of repositories share. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { elapsed } from '../faults/server-under-test.ts';
import { git, remoteUrl } from '../scenarios/git-client.ts';
import type { RunContext } from './cluster-run.ts';
import type { Installation } from './installation.ts';
import type { ClusterNode } from './node.ts';

/** The shard that every installation has. */
export const defaultShardName = 'default';

/** Where the files of a shard are. */
export function folderOf({ installation }: RunContext, shard: string): string {
  return shard === defaultShardName
    ? installation.data
    : join(installation.folder, 'shards', shard);
}

export async function addShard(context: RunContext, shard: string): Promise<void> {
  const { installation } = context;
  const folder = folderOf(context, shard);
  installation.repositoryFolders.push(folder);
  await installation.firstNode.server.admin('add-shard', shard, '--folder', folder);
}

/** No node has two shards. */
export async function untilSpread(context: RunContext): Promise<void> {
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
export async function ownerOf(
  context: RunContext,
  shard: string,
): Promise<ClusterNode | undefined> {
  const owner = (await shardsOf(context)).find(({ name }) => name === shard)?.owner;
  return context.installation.nodes.find(
    ({ server }) => owner?.name.endsWith(`process ${server.pid}`) === true,
  );
}

/** New repositories go to the shards in turn: one that is not in the default shard. */
export async function repositoryElsewhere({ workload, installation }: RunContext): Promise<string> {
  const { client, journal } = workload;
  for (let number = 1; number <= 12; number += 1) {
    const name = `spread-${number}`;
    await client.ask('POST', '/user/repos', { name, auto_init: true }, [201]);
    journal.repositories.push(name);
    if ((await shardIdOf(installation, name)) !== 0) return `${client.login}/${name}`;
  }
  throw new Error('No repository was created in another shard.');
}

async function shardIdOf(installation: Installation, name: string): Promise<number> {
  const rows = await installation.query<{ shard: number }>(
    `select n.shard_id::int as shard from repositories r join networks n on n.id = r.network_id where r.name = $1`,
    [name],
  );
  const [row] = rows;
  if (!row || rows.some(({ shard }) => shard !== row.shard))
    throw new Error(`${name} is in ${rows.length} shards.`);
  return row.shard;
}

let uses = 0;

/** A push, a pull that is merged, and a fork, which is in the shard of its parent. */
export async function useAsUsers(context: RunContext, repository: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await useOnce(context, repository);
    } catch (error) {
      // The balancer ended an idle connection as a request was sent over it. All names are others the next time.
      if (!(error instanceof TypeError) || attempt === useAttempts) throw error;
    }
  }
}

const useAttempts = 3;

async function useOnce({ workload, installation }: RunContext, repository: string): Promise<void> {
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
export class WriteProbe {
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
