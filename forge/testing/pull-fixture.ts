import assert from 'node:assert/strict';

import { commitFiles, type FileContents } from './commits.ts';
import type { TestAnswer, TestForge, TestUser } from './test-forge.ts';

export interface OpenedPull {
  /** `owner/name` of the base repository. */
  readonly name: string;
  readonly number: number;
  readonly base: string;
  readonly head: string;
  /** `/repos/owner/name/pulls/N`. */
  readonly path: string;
  readonly answer: TestAnswer;
}

/** A repository with `main` and a `topic` branch that differs by the given files, and a pull from one to the other. */
export async function openPull(
  forge: TestForge,
  owner: TestUser,
  options: { files?: FileContents; body?: Record<string, unknown>; private?: boolean } = {},
): Promise<OpenedPull> {
  const name = await forge.repository(owner, { private: options.private ?? false });
  const base = await commitFiles(forge, name, 'main', { 'README.md': 'one\ntwo\nthree\n' });
  const head = await commitFiles(forge, name, 'topic', options.files ?? { 'new.txt': 'new\n' }, {
    parents: [base],
  });
  const answer = await owner.post(`/repos/${name}/pulls`, {
    title: 'Add a file',
    head: 'topic',
    base: 'main',
    ...options.body,
  });
  assert.equal(answer.status, 201, answer.text);
  const { number } = answer.body;
  return { name, number, base, head, path: `/repos/${name}/pulls/${number}`, answer };
}

/** The pull once its test merge is done. */
export async function untilChecked(
  forge: TestForge,
  user: TestUser,
  path: string,
): Promise<TestAnswer> {
  await user.get(path);
  await forge.ports.background.idle();
  return user.get(path);
}
