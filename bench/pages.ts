/** Pages of a large repository as a signed-in person gets them, one at a time. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { generateHistory } from '../scenarios/generated-history.ts';
import { git } from '../scenarios/git-client.ts';
import { until } from '../scenarios/patience.ts';
import { api, folder, headersSent, progress, remote, server, timed } from './server-under-test.ts';
import { median, type Table } from './table.ts';

const rounds = 21;
const millisecondsMax = 50;
const name = 'large';
const file = 'folder-0/file-1.txt';

/** What a browser sends, with a token instead of a session: pages take it for reading. */
const headers = {
  ...headersSent,
  accept: 'text/html,application/xhtml+xml',
  'user-agent': 'Mozilla/5.0',
};

export async function measurePages(table: Table): Promise<void> {
  progress('a repository for pages');
  await prepare();
  const account = `/${server.login}`;
  const at = `${account}/${name}`;
  const head = (await api('GET', '/commits/main', undefined, name)).sha;
  const pages: readonly (readonly [string, string | ((round: number) => string)])[] = [
    ['home', '/-/home'],
    ['search', '/search?q=large'],
    ['user', account],
    ['repository', at],
    ['folder', `${at}/tree/main/folder-0`],
    ['file', `${at}/blob/main/${file}`],
    ['commits', `${at}/commits/main`],
    ['commits of a file', (round) => `${at}/commits/main/folder-0/file-${round + 1}.txt`],
    ['commit', `${at}/commit/${head}`],
    ['comparison', `${at}/compare/main...topic`],
    ['branches', `${at}/branches`],
    ['tags', `${at}/tags`],
    ['releases', `${at}/releases`],
    ['pulls', `${at}/pulls`],
    ['pull', `${at}/pull/1`],
    ['issues', `${at}/issues`],
    ['issue', `${at}/issues/2`],
    ['stargazers', `${at}/stargazers`],
    ['reference', '/docs/rest'],
  ];
  for (const [page, path] of pages) {
    progress(`page: ${page}`);
    const milliseconds = await timeOf(path);
    table.add(`page: ${page}`, milliseconds, 'ms', `at most ${millisecondsMax}`, millisecondsMax);
  }
  table.add('page: blame of a file', await timeOf(`${at}/blame/main/${file}`), 'ms', 'none');
}

async function prepare(): Promise<void> {
  const work = join(folder, 'pages');
  await git(folder, 'init', '-q', '-b', 'main', work);
  await generateHistory(work, { commits: 20_000, files: 5000 });
  await git(work, 'repack', '-adq');
  const graphs = await commitGraphs();
  await api('POST', '/user/repos', { name });
  await git(work, 'push', '-q', remote(name), 'main', 'main~20:refs/heads/base');
  await git(work, 'push', '-q', remote(name), 'main:refs/heads/topic');
  await api('POST', '/pulls', { title: 'Change', head: 'topic', base: 'base' }, name);
  for (let number = 0; number < 40; number += 1) {
    await api('POST', '/issues', { title: `Issue ${number}`, body: 'Text with `code`.' }, name);
  }
  const maintained = async () => ((await commitGraphs()) > graphs ? true : undefined);
  await until(maintained, { seconds: 120, missing: 'the maintenance of the repository' });
}

/** Written by maintenance, which a large repository gets soon after its first push. */
async function commitGraphs(): Promise<number> {
  const files = await readdir(join(folder, 'data', 'repositories'), { recursive: true });
  return files.filter((path) => path.endsWith('commit-graph-chain')).length;
}

/** The median, after a first time; of another URL each time where the response would be cached otherwise. */
async function timeOf(target: string | ((round: number) => string)): Promise<number> {
  const ask = async (round: number): Promise<void> => {
    const path = typeof target === 'string' ? target : target(round);
    const response = await fetch(server.url + path, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  };
  await ask(rounds);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await timed(() => ask(round)));
  return median(times);
}
