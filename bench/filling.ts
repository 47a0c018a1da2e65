import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { generateHistory } from '../scenarios/generated-history.ts';
import { git } from '../scenarios/git-client.ts';
import { api, folder, progress, remote } from './server-under-test.ts';

/** A repository with 100 pulls and a commit with 30 contexts. */
export async function fill(): Promise<void> {
  progress('filling a repository');
  await api('POST', '/user/repos', { name: 'bench' });
  const work = join(folder, 'work');
  await git(folder, 'init', '-q', '-b', 'main', work);
  await generateHistory(work, { commits: 100, files: 200 });
  await git(work, 'remote', 'add', 'origin', remote('bench'));
  await makeBranches(work, ['topic']);
  await makeBranches(
    work,
    Array.from({ length: 99 }, (_, index) => `b${index}`),
  );
  await git(work, 'push', '-q', '--all', 'origin');
  await api('POST', '/pulls', {
    title: 'The pull',
    head: 'topic',
    base: 'main',
    body: 'x'.repeat(500),
  });
  for (let index = 0; index < 99; index += 1) {
    await api('POST', '/pulls', { title: `Pull ${index}`, head: `b${index}`, base: 'main' });
  }
  const { sha } = (await api('GET', '/pulls/1')).head;
  for (let index = 0; index < 30; index += 1) {
    await api('POST', `/statuses/${sha}`, {
      state: 'success',
      context: `ci/${index}`,
      description: 'fine',
    });
  }
  while ((await api('GET', '/pulls/1')).mergeable === null);
}

/** More pulls, and waits for their test merges: only then is the server as idle as before. */
export async function storePulls(prefix: string, count: number): Promise<void> {
  progress(`storing ${count} pulls`);
  const work = join(folder, 'work');
  const names = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  await makeBranches(work, names);
  for (let start = 0; start < names.length; start += 1000) {
    await git(work, 'push', '-q', 'origin', ...names.slice(start, start + 1000));
  }
  let last = 0;
  for (let start = 0; start < names.length; start += 16) {
    const stored = await Promise.all(
      names
        .slice(start, start + 16)
        .map((head) => api('POST', '/pulls', { title: head, head, base: 'main' })),
    );
    last = Math.max(last, ...stored.map(({ number }) => number));
    if (start % 1600 === 0) progress(`storing pulls: ${start} of ${names.length}`);
  }
  progress('waiting for test merges');
  while ((await api('GET', `/pulls/${last}`)).mergeable === null);
}

/** Branches with a commit of their own each, made without a work tree. */
export async function makeBranches(work: string, names: readonly string[]): Promise<void> {
  const child = spawn('git', ['fast-import', '--quiet'], {
    cwd: work,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  for (const name of names) {
    child.stdin.write(
      `commit refs/heads/${name}\ncommitter G <g@example.test> 1700000000 +0000\ndata 2\nx\nfrom refs/heads/main\n` +
        `M 100644 inline ${name}.txt\ndata ${name.length}\n${name}\n\n`,
    );
  }
  child.stdin.end();
  await exited;
}
