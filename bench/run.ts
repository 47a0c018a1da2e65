import { join } from 'node:path';

import { generateHistory } from '../scenarios/generated-history.ts';
import { git } from '../scenarios/git-client.ts';
import { measureClient } from './client.ts';
import { fill, makeBranches, storePulls } from './filling.ts';
import { measureFunctions } from './functions.ts';
import { measureGraphql } from './graphql.ts';
import { load, startBare } from './loads.ts';
import { measureManyPushes } from './many-pushes.ts';
import { measureObservation } from './observation.ts';
import { measurePages } from './pages.ts';
import { measurePair } from './pair.ts';
import {
  api,
  folder,
  progress,
  remote,
  removeServerUnderTest,
  server,
  timed,
  prepareSsh,
} from './server-under-test.ts';
import { Table } from './table.ts';
import { measureTestServer } from './test-server.ts';

try {
  await run();
} finally {
  await removeServerUnderTest();
}

/** `npm run bench -- forge`, and so with `graphql` (a part of it), `pushes`, `pair`, `pages`, `test-server`, `observation`, `functions` and `client`, measures one of them. */
async function run(): Promise<void> {
  const parts = process.argv.slice(2);
  const table = new Table();
  const wanted = (part: string): boolean => parts.length === 0 || parts.includes(part);
  if (wanted('client')) await measureClient(table);
  if (wanted('functions')) await measureFunctions(table);
  if (wanted('forge')) await measureForge(table);
  if (parts.includes('graphql')) {
    await fill();
    await storePulls('l', 900);
    await measureGraphql(table);
  }
  if (wanted('test-server')) await measureTestServer(table);
  if (wanted('observation')) await measureObservation(table);
  if (wanted('pages')) await measurePages(table);
  if (wanted('pair')) await measurePair(table);
  if (wanted('pushes')) await measureManyPushes(table);
}

async function measureForge(table: Table): Promise<void> {
  await fill();
  progress('reads');
  const bare = await startBare(['/pulls/1', '/pulls', `/commits/topic/status`]);
  try {
    for (const [name, path] of [
      ['GET one pull', '/pulls/1'],
      ['GET 30 pulls', '/pulls'],
      ['GET combined status, 30 contexts', '/commits/topic/status'],
    ] as const) {
      table.compare(name, await load('GET', path), await bare.load('GET', path), 0.6);
    }
    progress('statuses');
    const sha = (await api('GET', '/pulls/1')).head.sha;
    const status = (serial: number): string =>
      JSON.stringify({ state: 'success', context: `c${serial % 900}` });
    const path = `/statuses/${sha}`;
    const posted = await load('POST', path, { body: status, connections: 32 });
    const bareStatus = await startBare([], {
      [`/api/v3/repos/${server.login}/bench${path}`]: posted.sample,
    });
    table.compare(
      'POST a status, 32 clients',
      posted,
      await bareStatus.load('POST', path, { body: status, connections: 32 }),
      0.25,
    );
    bareStatus.end();
  } finally {
    bare.end();
  }
  await measureFlatness(table);
  await measureTestMerge(table);
  await measureGit(table);
}

/** The same GET with a hundred times as many pulls stored: the cost must not follow. */
async function measureFlatness(table: Table): Promise<void> {
  const few = await load('GET', '/pulls/1');
  await storePulls('l', 900);
  await measureGraphql(table);
  await storePulls('m', 9000);
  const many = await load('GET', '/pulls/1');
  table.add(
    'GET one pull, 10,000 stored against 100',
    many.loaded.cpuMicroseconds / few.loaded.cpuMicroseconds,
    'times the CPU',
    'at most 1.2',
  );
}

/** From a pushed head to a known mergeability, as a client sees it. */
async function measureTestMerge(table: Table): Promise<void> {
  progress('test merges');
  const work = join(folder, 'work');
  const names = Array.from({ length: 20 }, (_, index) => `t${index}`);
  await makeBranches(work, names);
  await git(work, 'push', '-q', 'origin', ...names);
  const times: number[] = [];
  for (const head of names) {
    const { number } = await api('POST', '/pulls', { title: head, head, base: 'main' });
    const started = performance.now();
    while ((await api('GET', `/pulls/${number}`)).mergeable === null);
    times.push(performance.now() - started);
  }
  times.sort((one, other) => one - other);
  table.add('test merge, from creation to its result', times[10] ?? 0, 'ms (median of 20)', '');
}

/** Against git's own transport over the file system, three times each in turn. */
async function measureGit(table: Table): Promise<void> {
  progress('a large repository');
  const big = join(folder, 'big');
  await git(folder, 'init', '-q', '-b', 'main', big);
  await generateHistory(big, { commits: 20_000, files: 5000 });
  await git(big, 'repack', '-adq');
  await api('POST', '/user/repos', { name: 'big' });
  const push = await timed(() => git(big, 'push', '-q', remote('big'), 'main'));
  await git(folder, 'init', '-q', '--bare', 'target.git');
  const filePush = await timed(() =>
    git(big, 'push', '-q', `file://${join(folder, 'target.git')}`, 'main'),
  );
  const http: number[] = [];
  const ssh: number[] = [];
  const file: number[] = [];
  const sshRemote = await prepareSsh('big');
  for (let round = 0; round < 3; round += 1) {
    http.push(
      await timed(() => git(folder, 'clone', '-q', '--bare', remote('big'), `h${round}.git`)),
    );
    ssh.push(
      await timed(() =>
        git(folder, ...sshRemote.settings, 'clone', '-q', '--bare', sshRemote.url, `s${round}.git`),
      ),
    );
    file.push(
      await timed(() => git(folder, 'clone', '-q', '--bare', `file://${big}`, `f${round}.git`)),
    );
  }
  table.add(
    'clone of 20,000 commits against file://',
    Math.min(...file) / Math.min(...http),
    'of its speed',
    'at least 0.9',
  );
  table.add(
    'clone of 20,000 commits over SSH against file://',
    Math.min(...file) / Math.min(...ssh),
    'of its speed',
    '',
  );
  table.add(
    'push of 20,000 commits against file://',
    filePush / push,
    'of its speed (and durable)',
    '',
  );
}
