import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Commit, GitRepository } from '../git/git.ts';
import {
  noObject,
  type ObjectId,
  parseObjectId,
  parseRefName,
  type RefName,
} from '../git/names.ts';
import { findNewCommits } from './new-commits.ts';
import type { RefMove } from '../git/ref-update.ts';

function id(number: number): ObjectId {
  const parsed = parseObjectId(number.toString(16).padStart(40, '0'));
  assert.ok(parsed);
  return parsed;
}

function refName(text: string): RefName {
  const parsed = parseRefName(text);
  assert.ok(parsed);
  return parsed;
}

/** The little of a repository that is asked: commits without parents, each its own history. */
function repositoryOf(refs: readonly (readonly [RefName, ObjectId])[]): {
  git: GitRepository;
  lists: () => number;
} {
  let lists = 0;
  const git: Pick<GitRepository, 'listRefs' | 'resolveCommit' | 'log'> = {
    listRefs: async (prefix) =>
      refs.flatMap(([name, commit]) =>
        name.startsWith(prefix) ? [{ name, id: commit, type: 'commit', peeled: commit }] : [],
      ),
    resolveCommit: async (revision) => parseObjectId(revision),
    log: async ({ from }) => {
      lists += 1;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the id is read
      return [{ id: from } as Commit];
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else is asked
  return { git: git as GitRepository, lists: () => lists };
}

test('a push of ten thousand tags to ten thousand branches is processed at once', async () => {
  const count = 10_000;
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const branches = numbers.map((n) => [refName(`refs/heads/b${n}`), id(n)] as const);
  const tags = numbers.map((n) => [refName(`refs/tags/t${n}`), id(n % 2 ? n : n + count)] as const);
  const moves: RefMove[] = tags.map(([ref, next]) => ({ ref, old: noObject, new: next }));
  const { git, lists } = repositoryOf([...branches, ...tags]);
  const began = performance.now();
  const found = await findNewCommits(git, moves);
  assert.ok(performance.now() - began < 5000);
  assert.deepEqual(found.get(refName('refs/tags/t1')), {
    commits: [],
    known: [],
    baseRef: 'refs/heads/b1',
  });
  assert.deepEqual(found.get(refName('refs/tags/t2')), {
    commits: [id(2 + count)],
    known: [],
    baseRef: null,
  });
  assert.equal(lists(), 50, 'git is asked for so many lists while the client waits, and no more');
});
