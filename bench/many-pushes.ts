import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { git } from '../scenarios/git-client.ts';
import { api, folder, progress, remote, timed } from './server-under-test.ts';
import { median, type Table } from './table.ts';

const pushes = Number(process.env['HOB_BENCH_PUSHES'] ?? 2000);
const rounds = 7;

/**
 * A repository that got its history by many small pushes, against one that got the same history by a single one. The
 * server packs it meanwhile, as it does unless HOB_MAINTENANCE is off.
 */
export async function measureManyPushes(table: Table): Promise<void> {
  progress(`${pushes} pushes`);
  const work = join(folder, 'many');
  await git(folder, 'init', '-q', '-b', 'main', work);
  for (const name of ['many', 'packed']) await api('POST', '/user/repos', { name });
  for (let number = 1; number <= pushes; number += 1) {
    await writeFile(join(work, `file${number % 100}`), `${number}\n`);
    await git(work, 'add', '-A');
    await git(work, 'commit', '-qm', `Commit ${number}`);
    await git(work, 'push', '-q', remote('many'), 'main');
    if (number % 100 === 0) progress(`${number} of ${pushes} pushes`);
  }
  await git(work, 'push', '-q', remote('packed'), 'main');
  table.add(
    `packs left by ${pushes} pushes`,
    await packsOf('many'),
    'when the rest is measured',
    '',
  );
  const [many, packed] = [await use('many', work), await use('packed', work)];
  for (const [name, of] of [
    ['clone', (times: Times) => times.clone],
    ['list of refs', (times: Times) => times.list],
    ['push', (times: Times) => times.push],
    ['GET a pull and its commits', (times: Times) => times.get],
  ] as const) {
    table.add(
      `${name}: after ${pushes} pushes against one`,
      of(many) / of(packed),
      `times (${of(many).toFixed(0)} ms, ${of(packed).toFixed(0)} ms)`,
      'at most 1.2',
    );
  }
}

interface Times {
  readonly clone: number;
  readonly list: number;
  readonly push: number;
  readonly get: number;
}

async function use(name: string, work: string): Promise<Times> {
  const times: Record<keyof Times, number[]> = { clone: [], list: [], push: [], get: [] };
  await git(work, 'checkout', '-q', '-B', `topic-${name}`, 'main');
  await git(work, 'commit', '-q', '--allow-empty', '-m', 'topic');
  await git(work, 'push', '-q', remote(name), 'HEAD:topic');
  await api('POST', '/pulls', { title: 'T', head: 'topic', base: 'main' }, name);
  for (let round = 0; round < rounds; round += 1) {
    const target = `${name}-${round}.git`;
    times.clone.push(await timed(() => git(folder, 'clone', '-q', '--bare', remote(name), target)));
    times.list.push(await timed(() => git(work, 'ls-remote', '-q', remote(name))));
    await git(work, 'commit', '-q', '--allow-empty', '-m', `turn ${round}`);
    times.push.push(await timed(() => git(work, 'push', '-q', remote(name), 'HEAD:topic')));
    times.get.push(
      await timed(async () => {
        await api('GET', '/pulls/1', undefined, name);
        await api('GET', '/pulls/1/commits', undefined, name);
      }),
    );
  }
  const { clone, list, push, get } = times;
  return { clone: median(clone), list: median(list), push: median(push), get: median(get) };
}

/** How many packs the repository has on the disk of the server. */
async function packsOf(name: string): Promise<number> {
  const { id } = await api('GET', '', undefined, name);
  const files = await readdir(join(folder, 'data'), { recursive: true });
  return files.filter((file) => file.includes(`/${id}.git/objects/pack/`) && file.endsWith('.pack'))
    .length;
}
