import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type ObjectId, parseObjectId } from '../git/names.ts';
import { effectsOnPull, type PullFacts } from './pull-effects.ts';
import type { Pull } from '../model/pull.ts';

describe('what an open pull comes to', () => {
  const id = (digit: string): ObjectId => {
    const parsed = parseObjectId(digit.repeat(40));
    assert.ok(parsed);
    return parsed;
  };
  const [base, nextBase, head, nextHead, merge] = ['a', 'b', 'c', 'd', 'e'].map(id);
  assert.ok(base && nextBase && head && nextHead && merge);

  const pull: Pull = {
    id: 1,
    repositoryId: 1,
    number: 1,
    authorId: 1,
    title: 'T',
    body: null,
    state: 'open',
    locked: false,
    lockReason: null,
    base: { ref: 'main', sha: base },
    head: { ref: 'topic', sha: head, repositoryId: 1, ownerId: 1, ownerLogin: 'own' },
    draft: false,
    maintainerCanModify: false,
    merge: undefined,
    size: { commits: 1, additions: 1, deletions: 0, changedFiles: 1 },
    comments: 0,
    reviewComments: 0,
    test: undefined,
    createdAt: 0,
    updatedAt: 0,
    closedAt: null,
  };
  const more = { commits: 2, additions: 2, deletions: 0, changedFiles: 2 };
  const none = { commits: 0, additions: 0, deletions: 0, changedFiles: 0 };

  const moved = { kind: 'head-moved', head: nextHead, size: more } as const;
  const closed = { kind: 'closed' } as const;
  const cases: readonly {
    readonly what: string;
    readonly facts: Partial<PullFacts>;
    readonly effects: readonly object[];
  }[] = [
    { what: 'nothing moved', facts: {}, effects: [] },
    { what: 'the base went on', facts: { base: nextBase }, effects: [] },
    { what: 'the base is gone', facts: { base: 'gone' }, effects: [closed] },
    { what: 'both are gone', facts: { base: 'gone', head: 'gone' }, effects: [closed] },
    {
      what: 'the base is gone and the head moved',
      facts: { base: 'gone', head: nextHead, size: more },
      effects: [closed],
    },
    { what: 'the head is gone', facts: { head: 'gone' }, effects: [closed] },
    { what: 'the head moved', facts: { head: nextHead, size: more }, effects: [moved] },
    {
      what: 'both moved',
      facts: { base: nextBase, head: nextHead, size: more },
      effects: [moved],
    },
    {
      what: 'the base was moved onto the head',
      facts: { base: head, brought: new Map([[head, head]]) },
      effects: [{ kind: 'merged', head, commit: head }],
    },
    {
      what: 'the base brought the head in by a merge',
      facts: { base: nextBase, brought: new Map([[head, merge]]) },
      effects: [{ kind: 'merged', head, commit: merge }],
    },
    {
      what: 'the base brought the head in, and the branch was removed',
      facts: { base: nextBase, head: 'gone', brought: new Map([[head, merge]]) },
      effects: [{ kind: 'merged', head, commit: merge }],
    },
    {
      what: 'the base brought the row’s head in, and the branch went on',
      facts: { base: nextBase, head: nextHead, size: more, brought: new Map([[head, merge]]) },
      effects: [{ kind: 'merged', head, commit: merge }],
    },
    {
      what: 'the base brought only the new head in',
      facts: { base: nextBase, head: nextHead, size: none, brought: new Map([[nextHead, merge]]) },
      effects: [
        { ...moved, size: none },
        { kind: 'merged', head: nextHead, commit: merge },
      ],
    },
    {
      what: 'the head was taken back to the base',
      facts: { head: nextHead, size: none },
      effects: [{ ...moved, size: none }, closed],
    },
    {
      what: 'the head was taken back and the base went on elsewhere',
      facts: { base: nextBase, head: nextHead, size: none },
      effects: [{ ...moved, size: none }, closed],
    },
  ];
  for (const { what, facts, effects } of cases) {
    test(`when ${what}`, () => {
      const all: PullFacts = { pull, base, head, brought: new Map(), size: undefined, ...facts };
      assert.deepEqual(
        effectsOnPull(all),
        effects.map((effect) => ({ ...effect, pull })),
      );
    });
  }
});
