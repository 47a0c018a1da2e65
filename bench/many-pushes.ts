import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { git } from '../scenarios/git-client.ts';
import { api, folder, progress, remote, timed } from './subject.ts';
import { median, type Table } from './table.ts';

const pushes = Number(process.env['HOB_BENCH_PUSHES'] ?? 2000);
const turns = 7;

/** A repository that got its history by many small pushes, against one that got the same history by a single one. */
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
  const [many, packed] = [await use('many', work), await use('packed', work)];
  for (const [name, of] of [
    ['clone', (times: Times) => times.clone],
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
  readonly push: number;
  readonly get: number;
}

async function use(name: string, work: string): Promise<Times> {
  const times = { clone: [] as number[], push: [] as number[], get: [] as number[] };
  await git(work, 'checkout', '-q', '-B', `topic-${name}`, 'main');
  await git(work, 'commit', '-q', '--allow-empty', '-m', 'topic');
  await git(work, 'push', '-q', remote(name), 'HEAD:topic');
  await api('POST', '/pulls', { title: 'T', head: 'topic', base: 'main' }, name);
  for (let turn = 0; turn < turns; turn += 1) {
    const target = `${name}-${turn}.git`;
    times.clone.push(await timed(() => git(folder, 'clone', '-q', '--bare', remote(name), target)));
    await git(work, 'commit', '-q', '--allow-empty', '-m', `turn ${turn}`);
    times.push.push(await timed(() => git(work, 'push', '-q', remote(name), 'HEAD:topic')));
    times.get.push(
      await timed(async () => {
        await api('GET', '/pulls/1', undefined, name);
        await api('GET', '/pulls/1/commits', undefined, name);
      }),
    );
  }
  return { clone: median(times.clone), push: median(times.push), get: median(times.get) };
}
