import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { ObjectId } from '../names.ts';
import type { Bridge, BridgeOptions } from './http-bridge.ts';
import { realGit, tryGit } from './real-git.ts';
import type { RealGitResult } from './real-git.ts';
import type { TestGit, TestRepository } from './test-git.ts';

export interface ServedRepository extends TestRepository {
  /** The commit of main. */
  readonly first: ObjectId;
  /** The next commit, which is only in the clone. */
  readonly second: ObjectId;
  readonly bridge: Bridge;
  readonly pushOver: (...parts: string[]) => Promise<RealGitResult>;
}

/**
 * A repository with one commit on main, a second one in the clone, and an HTTP server around it.
 */
export async function servePushes(
  testGit: TestGit,
  options: BridgeOptions = {},
): Promise<ServedRepository> {
  const created = await testGit.newRepository();
  await writeFile(join(created.work, 'file'), 'one\n');
  const first = await created.commit('one');
  await created.push('main');
  await writeFile(join(created.work, 'file'), 'two\n');
  const second = await created.commit('two');
  const bridge = await testGit.serve(created.repository, options);
  return {
    ...created,
    first,
    second,
    bridge,
    pushOver: (...parts: string[]) => tryGit(created.work, ['push', bridge.url, ...parts]),
  };
}

/** Files that a push should not leave behind. */
export async function staleFiles(path: string): Promise<string[]> {
  const names = await readdir(path, { recursive: true });
  return names.filter((name) => /tmp_|incoming|\.lock$/.test(name));
}

/** What a client sends to push a commit to a user who has another. */
export async function packOf(work: string, tip: ObjectId, without?: ObjectId): Promise<Buffer> {
  const input = `${tip}\n${without === undefined ? '' : `^${without}\n`}`;
  return realGit(work, ['pack-objects', '--revs', '--stdout', '-q'], { input });
}
