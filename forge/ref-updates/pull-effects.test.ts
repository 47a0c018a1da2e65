import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type ObjectId, parseObjectId } from '../git/names.ts';
import { effectsOnPull, type PullWithTips } from './pull-effects.ts';
import { defaultPullSettings, type Pull } from '../model/pull.ts';

describe('what an open pull comes to', () => {
  const id = (digit: string): ObjectId => {
    const parsed = parseObjectId(digit.repeat(40));
    assert.ok(parsed);
    return parsed;
  };
  const [base, nextBase, head, nextHead, merge] = ['a', 'b', 'c', 'd', 'e'].map(id);
  assert.ok(base && nextBase && head && nextHead && merge);

  const pull: Pull = {
    ...defaultPullSettings,
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
    autoMerge: undefined,
    merge: undefined,
    size: { commits: 1, additions: 1, deletions: 0, changedFiles: 1 },
    comments: 0,
    reviewComments: 0,
    testMerge: undefined,
    createdAt: 0,
    updatedAt: 0,
    closedAt: null,
  };
  const more = { commits: 2, additions: 2, deletions: 0, changedFiles: 2 };
  const none = { commits: 0, additions: 0, deletions: 0, changedFiles: 0 };

  const moved = { kind: 'head-moved', head: nextHead, size: more } as const;
  const closed = { kind: 'closed' } as const;
  const cases: readonly {
    readonly label: string;
    readonly given: Partial<PullWithTips>;
    readonly effects: readonly object[];
  }[] = [
    { label: 'nothing moved', given: {}, effects: [] },
    { label: 'the base went on', given: { base: nextBase }, effects: [] },
    { label: 'the base is gone', given: { base: 'gone' }, effects: [closed] },
    { label: 'both are gone', given: { base: 'gone', head: 'gone' }, effects: [closed] },
    {
      label: 'the base is gone and the head moved',
      given: { base: 'gone', head: nextHead, size: more },
      effects: [closed],
    },
    { label: 'the head is gone', given: { head: 'gone' }, effects: [closed] },
    { label: 'the head moved', given: { head: nextHead, size: more }, effects: [moved] },
    {
      label: 'both moved',
      given: { base: nextBase, head: nextHead, size: more },
      effects: [moved],
    },
    {
      label: 'the base was moved onto the head',
      given: { base: head, mergedHeads: new Map([[head, head]]) },
      effects: [{ kind: 'merged', head, commit: head }],
    },
    {
      label: 'the base merged the head',
      given: { base: nextBase, mergedHeads: new Map([[head, merge]]) },
      effects: [{ kind: 'merged', head, commit: merge }],
    },
    {
      label: 'the base contains the head, and the branch was deleted',
      given: { base: nextBase, head: 'gone', mergedHeads: new Map([[head, merge]]) },
      effects: [{ kind: 'merged', head, commit: merge }],
    },
    {
      label: 'the base contains the row’s head, and the branch moved on',
      given: { base: nextBase, head: nextHead, size: more, mergedHeads: new Map([[head, merge]]) },
      effects: [{ kind: 'merged', head, commit: merge }],
    },
    {
      label: 'the base contains only the new head',
      given: {
        base: nextBase,
        head: nextHead,
        size: none,
        mergedHeads: new Map([[nextHead, merge]]),
      },
      effects: [
        { ...moved, size: none },
        { kind: 'merged', head: nextHead, commit: merge },
      ],
    },
    {
      label: 'the head was taken back to the base',
      given: { head: nextHead, size: none },
      effects: [{ ...moved, size: none }, closed],
    },
    {
      label: 'the head was taken back and the base went on elsewhere',
      given: { base: nextBase, head: nextHead, size: none },
      effects: [{ ...moved, size: none }, closed],
    },
  ];
  for (const { label, given, effects } of cases) {
    test(`when ${label}`, () => {
      const all: PullWithTips = {
        pull,
        base,
        head,
        mergedHeads: new Map(),
        size: undefined,
        ...given,
      };
      assert.deepEqual(
        effectsOnPull(all),
        effects.map((effect) => ({ ...effect, pull })),
      );
    });
  }
});
