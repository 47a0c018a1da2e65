import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { checkers } from './checkers.ts';
import { createJournal, type Disturbance, type Journal } from './journal.ts';
import type { Observed } from './observed.ts';

const disturbance: Disturbance = {
  name: 'kill node-1',
  from: 10_000,
  until: 12_000,
  changesMembership: true,
  limits: { api: 2, git: 12 },
};

/** A run in which every promise was held. */
function heldJournal(): Journal {
  return {
    ...createJournal(),
    statuses: [{ id: 1, context: 'c1' }],
    comments: [{ id: 7, body: 'n1' }],
    repositories: ['made-1'],
    moves: [
      { ref: 'refs/heads/shared', from: 'a0', to: 'a1' },
      { ref: 'refs/heads/shared', from: 'a1', to: 'a2' },
    ],
    merges: [{ number: 2, title: 'p2', sha: 'm2' }],
    updates: new Map([['changed', { acknowledged: 4, sent: 5 }]]),
    versions: [{ name: 'changed', version: '3', round: 3 }],
    events: ['e1'],
    executions: ['arn:1'],
    invocations: [
      { from: 1000, until: 1200 },
      { from: 1100, until: 1300 },
    ],
    probes: [{ kind: 'api', from: 9000, until: 9010, status: 200 }],
  };
}

const held: Observed = {
  statuses: [{ id: 1, context: 'c1' }],
  comments: [{ id: 7, body: 'n1' }],
  repositories: ['made-1', 'made-2'],
  refs: new Map([
    ['refs/heads/p3', 'h3'],
    ['refs/pull/3/head', 'h3'],
  ]),
  histories: new Map([['refs/heads/shared', ['a3', 'a2', 'a1', 'a0']]]),
  base: [
    { sha: 'm2', subject: 'Merge pull request #2 from root/p2' },
    { sha: 'm0', subject: 'Initial commit' },
  ],
  pulls: [
    { number: 2, title: 'p2', open: false, headRef: 'p2', headSha: 'h2', mergeSha: 'm2' },
    { number: 3, title: 'p3', open: true, headRef: 'p3', headSha: 'h3', mergeSha: undefined },
  ],
  functions: new Map([['changed', { round: 5, answered: 5, active: true }]]),
  versions: new Map([['changed:3', 3]]),
  handled: [{ event: 'e1', run: 'r1' }],
  deliveries: [
    { guid: 'g1', comment: 7 },
    { guid: 'g1', comment: 7 },
  ],
  executions: new Map([
    ['arn:1', { status: 'SUCCEEDED', returned: ['s1', 's2'], checkpointed: ['s1', 's2'] }],
  ]),
  leftBehind: [],
  damage: [],
};

interface Doctored {
  readonly checker: string;
  readonly what: string;
  readonly journal?: Partial<Journal>;
  readonly observed?: Partial<Observed>;
  readonly finds: RegExp;
}

const pull3 = { number: 3, title: 'p3', open: true, headRef: 'p3', headSha: 'h3' } as const;

const doctored: readonly Doctored[] = [
  {
    checker: 'acknowledged',
    what: 'a status that is gone',
    observed: { statuses: [] },
    finds: /^the status c1$/,
  },
  {
    checker: 'acknowledged',
    what: 'a comment that is another one now',
    observed: { comments: [{ id: 7, body: 'n2' }] },
    finds: /^the comment n1$/,
  },
  {
    checker: 'acknowledged',
    what: 'a repository that is gone',
    observed: { repositories: [] },
    finds: /^the repository made-1$/,
  },
  {
    checker: 'acknowledged',
    what: 'a move of a branch that was taken back',
    observed: { histories: new Map([['refs/heads/shared', ['a1', 'a0']]]) },
    finds: /^the move of refs\/heads\/shared to a2$/,
  },
  {
    checker: 'acknowledged',
    what: 'a branch that is gone',
    journal: { moves: [{ ref: 'refs/heads/shared', from: 'a0', to: 'a1' }] },
    observed: { histories: new Map() },
    finds: /to a1$/,
  },
  {
    checker: 'acknowledged',
    what: 'a merge as another commit',
    journal: { merges: [{ number: 2, title: 'p2', sha: 'other' }] },
    finds: /^the merge of 2$/,
  },
  {
    checker: 'acknowledged',
    what: 'an update that was undone',
    observed: { functions: new Map([['changed', { round: 3, answered: 3, active: true }]]) },
    finds: /^the update 4 of changed, which has 3$/,
  },
  {
    checker: 'acknowledged',
    what: 'an update that no client sent',
    observed: { functions: new Map([['changed', { round: 6, answered: 6, active: true }]]) },
    finds: /which has 6$/,
  },
  {
    checker: 'acknowledged',
    what: 'a function that runs with another configuration than it shows',
    observed: { functions: new Map([['changed', { round: 5, answered: 4, active: true }]]) },
    finds: /has update 5 and runs 4$/,
  },
  {
    checker: 'acknowledged',
    what: 'a function whose update never ends',
    observed: { functions: new Map([['changed', { round: 5, answered: 5, active: false }]]) },
    finds: /is not active$/,
  },
  {
    checker: 'acknowledged',
    what: 'a function that is gone',
    observed: { functions: new Map() },
    finds: /^the function changed$/,
  },
  {
    checker: 'acknowledged',
    what: 'a version with other contents',
    observed: { versions: new Map([['changed:3', 4]]) },
    finds: /^version 3 of changed was 3 and is 4$/,
  },
  {
    checker: 'pull heads',
    what: 'a pull whose row stayed behind',
    observed: { pulls: [{ ...pull3, headSha: 'h2', mergeSha: undefined }] },
    finds: /^pull 3 has h2, its branch h3, refs\/pull h3$/,
  },
  {
    checker: 'pull heads',
    what: 'a pull whose reference stayed behind',
    observed: {
      refs: new Map([
        ['refs/heads/p3', 'h3'],
        ['refs/pull/3/head', 'h2'],
      ]),
    },
    finds: /refs\/pull h2$/,
  },
  {
    checker: 'pull heads',
    what: 'an open pull without a branch',
    observed: { refs: new Map([['refs/pull/3/head', 'h3']]) },
    finds: /its branch undefined/,
  },
  {
    checker: 'merges',
    what: 'a pull that was merged twice',
    observed: { base: [...held.base, { sha: 'm3', subject: 'p2 (#2)' }] },
    finds: /^pull 2 has 2 commits in the base$/,
  },
  {
    checker: 'merges',
    what: 'a merged pull that the base does not have',
    observed: { base: [] },
    finds: /^pull 2 has 0 commits in the base$/,
  },
  {
    checker: 'merges',
    what: 'a merge that the base has as another commit',
    observed: { base: [{ sha: 'other', subject: 'p2 (#2)' }] },
    finds: /^pull 2 is merged as m2, which the base does not contain$/,
  },
  {
    checker: 'merges',
    what: 'an open pull that is in the base',
    observed: { base: [...held.base, { sha: 'm3', subject: 'p3' }] },
    finds: /^pull 3 is in the base but not merged$/,
  },
  {
    checker: 'chains',
    what: 'two moves from one commit',
    journal: {
      moves: [
        { ref: 'refs/heads/shared', from: 'a0', to: 'a1' },
        { ref: 'refs/heads/shared', from: 'a0', to: 'b1' },
      ],
    },
    finds: /^refs\/heads\/shared was moved from a0 both to a1 and to b1$/,
  },
  {
    checker: 'chains',
    what: 'a move that skipped another',
    journal: { moves: [{ ref: 'refs/heads/shared', from: 'a0', to: 'a2' }] },
    finds: /^refs\/heads\/shared has a1 before a2, which was moved from a0$/,
  },
  {
    checker: 'events',
    what: 'an event that was never handled',
    observed: { handled: [] },
    finds: /^the event e1$/,
  },
  {
    checker: 'events',
    what: 'an event that was handled twice without a fault',
    observed: {
      handled: [
        { event: 'e1', run: 'r1' },
        { event: 'e1', run: 'r2' },
      ],
    },
    finds: /^the event e1 was handled 2 times$/,
  },
  {
    checker: 'events',
    what: 'a webhook that was not delivered',
    observed: { deliveries: [] },
    finds: /^the delivery of the comment n1$/,
  },
  {
    checker: 'events',
    what: 'a webhook with two GUIDs',
    observed: {
      deliveries: [
        { guid: 'g1', comment: 7 },
        { guid: 'g2', comment: 7 },
      ],
    },
    finds: /^the comment n1 was delivered with 2 GUIDs$/,
  },
  {
    checker: 'durable steps',
    what: 'an execution that is gone',
    observed: { executions: new Map() },
    finds: /^the execution arn:1 is gone$/,
  },
  {
    checker: 'durable steps',
    what: 'an execution that does not end',
    observed: {
      executions: new Map([['arn:1', { status: 'RUNNING', returned: [], checkpointed: ['s1'] }]]),
    },
    finds: /is RUNNING$/,
  },
  {
    checker: 'durable steps',
    what: 'a step that ran again after its checkpoint',
    observed: {
      executions: new Map([
        ['arn:1', { status: 'SUCCEEDED', returned: ['s1', 's3'], checkpointed: ['s1', 's2'] }],
      ]),
    },
    finds: /returned s1,s3, its checkpoints have s1,s2$/,
  },
  {
    checker: 'durable steps',
    what: 'an execution without results',
    observed: {
      executions: new Map([['arn:1', { status: 'SUCCEEDED', returned: [], checkpointed: [] }]]),
    },
    finds: /^the execution arn:1 returned/,
  },
  {
    checker: 'reserved concurrency',
    what: 'three invocations at once',
    journal: { invocations: [1000, 1010, 1020].map((from) => ({ from, until: 1200 })) },
    finds: /^3 invocations ran at once, more than 2$/,
  },
  {
    checker: 'reserved concurrency',
    what: 'five invocations at once while functions move',
    journal: {
      disturbances: [disturbance],
      invocations: [1, 2, 3, 4, 5].map((from) => ({ from: 15_000 + from, until: 15_200 })),
    },
    finds: /^5 invocations ran at once, more than 4$/,
  },
  {
    checker: 'nothing left',
    what: 'an intent',
    observed: { leftBehind: ['1 intent of a change of refs'] },
    finds: /^1 intent/,
  },
  {
    checker: 'git fsck',
    what: 'a missing object',
    observed: { damage: ['1.git: missing blob a0'] },
    finds: /missing blob/,
  },
  {
    checker: 'times',
    what: 'an API that fails for too long',
    journal: {
      disturbances: [disturbance],
      probes: [{ kind: 'api', from: 12_400, until: 12_500, status: 503 }],
    },
    finds: /^kill node-1: api was away for 2\.5 s, over 2: 503 after 100 ms at 2\.5 s$/,
  },
  {
    checker: 'times',
    what: 'a request to git that waits for too long',
    journal: {
      disturbances: [disturbance],
      probes: [{ kind: 'git', from: 10_500, until: 23_000, status: 200 }],
    },
    finds: /^kill node-1: git was away for 13\.0 s, over 12: 200 after 12500 ms at 13\.0 s$/,
  },
  {
    checker: 'times',
    what: 'an invocation that waits for longer than git may',
    journal: {
      disturbances: [disturbance],
      probes: [{ kind: 'functions', from: 10_500, until: 23_000, status: 200 }],
    },
    finds: /^kill node-1: functions were away for 13\.0 s, over 12: 200 after 12500 ms at 13\.0 s$/,
  },
];

describe('a checker of the cluster', () => {
  for (const { name, check } of checkers) {
    it(`finds nothing where every promise was held: ${name}`, () => {
      assert.deepEqual(check(heldJournal(), held), []);
    });

    it(`is tested with a doctored journal: ${name}`, () => {
      assert.ok(doctored.some(({ checker }) => checker === name));
    });
  }

  for (const { checker, what, journal, observed, finds } of doctored) {
    it(`finds ${what}`, () => {
      const one = checkers.find(({ name }) => name === checker);
      const found = one?.check({ ...heldJournal(), ...journal }, { ...held, ...observed }) ?? [];
      assert.match(found[0] ?? 'nothing', finds);
    });
  }

  it('excuses an event that a fault has repeated, and four invocations at once', () => {
    const journal: Journal = {
      ...heldJournal(),
      disturbances: [disturbance],
      invocations: [1, 2, 3, 4].map((from) => ({ from: 15_000 + from, until: 15_200 })),
    };
    const handled = ['r1', 'r2'].map((run) => ({ event: 'e1', run }));
    for (const { check } of checkers) assert.deepEqual(check(journal, { ...held, handled }), []);
  });

  it('measures each fault by itself', () => {
    const journal: Journal = {
      ...heldJournal(),
      disturbances: [
        { ...disturbance, limits: { api: 29, git: 12 } },
        { ...disturbance, from: 40_000, until: 41_000 },
      ],
      probes: [
        { kind: 'api', from: 38_500, until: 39_000, status: 200 },
        // It was held back by the second one.
        { kind: 'api', from: 39_900, until: 41_500, status: 503 },
      ],
    };
    const times = checkers.find(({ name }) => name === 'times');
    assert.deepEqual(times?.check(journal, held), []);
  });
});
