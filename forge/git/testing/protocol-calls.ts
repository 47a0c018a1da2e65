/**
 * Every call of the git process with what it answers, as released versions send and read it (git-protocol.test.ts).
 */
import assert from 'node:assert/strict';

export const someone = {
  name: 'Mona',
  email: 'mona@example.com',
  seconds: 1_700_000_000,
  offsetMinutes: 60,
};
export const none = '0'.repeat(40);
const [oneLine, twoLines, otherLines] = [
  '5626abf0f72e58d7a153368ba57db4c673c0e171',
  '814f4a422927b82f5f8a43f8fab6d3839e3983f2',
  '4c7442bcf5acd0f1e2a95fe4f12b12c6b779b585',
];
const [firstTree, secondTree, conflictingTree, otherFileTree] = [
  '10db7249802de7c967bb3b36eca7e4b394ce2c52',
  '50b2aeb6d18be92f9ad6483642eac802b797fd42',
  'f04e98f95521f362cb7331817ef4155cdc967a56',
  '88017aa77c32c5f8c3a72f05df3724ad1cf5258e',
];
export const [first, second, conflicting, unrelated, otherFile] = [
  'c003ad3be5fab629398c37f17c4588936f776a35',
  '3edf9d27be1f329c152fa64e4cc5c5af44422641',
  '86bc512d0f759eb474ce6468e2aa179dcd88e068',
  '7fc89f917dd9649c37445e47eacdc8ad5a8ab13a',
  'e9c3516d2e91c6cde279d3519cf8ec11a7ef7a59',
];
const tag = 'e82e06d36f30654357e5549ab3b835bd64fd2bbc';
const rebased = '7f6160dd6119bc9f2ca6ecb04ba40da58bdc7b29';
const size = { kibibytes: 0, packs: 0, packedObjects: 0, looseObjects: 0 };

const file = (id: string) => [{ path: 'docs/a.txt', mode: '100644', id }];
const commit = (tree: string, parents: readonly string[], message: string) => ({
  tree,
  parents,
  author: someone,
  committer: someone,
  message,
});
const secondCommit = {
  id: second,
  ...commit(secondTree, [first], 'Second\n\nText'),
  signature: undefined,
  payload: undefined,
};
const annotatedTag = { tag: 'v1', object: first, type: 'commit', tagger: someone, message: 'One' };
const changedFile = {
  path: 'docs/a.txt',
  mode: '100644',
  type: 'blob',
  id: twoLines,
  size: 8,
};

/** A call, its arguments, and the value of its response; a function where the value depends on git or the disk. */
export type Call = readonly [string, readonly unknown[], unknown];

export const writes: readonly Call[] = [
  ['writeBlob', [Buffer.from('one\n')], oneLine],
  ['writeBlob', [Buffer.from('one\ntwo\n')], twoLines],
  ['writeBlob', [Buffer.from('one\nthree\n')], otherLines],
  ['writeBlobs', [[Buffer.from('one\n'), Buffer.from('one\ntwo\n')]], [oneLine, twoLines]],
  ['writeTree', [undefined, file(oneLine)], { kind: 'written', id: firstTree }],
  ['writeTree', [firstTree, file(twoLines)], { kind: 'written', id: secondTree }],
  ['writeTree', [firstTree, file(otherLines)], { kind: 'written', id: conflictingTree }],
  [
    'writeTree',
    [firstTree, [{ path: 'b.txt', mode: '100644', id: otherLines }]],
    { kind: 'written', id: otherFileTree },
  ],
  [
    'writeTree',
    [undefined, [{ path: 'a', mode: '100644', id: none }]],
    { kind: 'bad-object', path: 'a' },
  ],
  ['writeCommit', [commit(firstTree, [], 'First')], first],
  ['writeCommit', [commit(secondTree, [first], 'Second\n\nText')], second],
  ['writeCommit', [commit(conflictingTree, [first], 'Third')], conflicting],
  ['writeCommit', [commit(firstTree, [], 'Unrelated')], unrelated],
  ['writeCommit', [commit(otherFileTree, [first], 'Fifth')], otherFile],
  ['writeTag', [annotatedTag], tag],
  [
    'updateRefs',
    [
      [
        { ref: 'refs/heads/main', old: none, new: second },
        { ref: 'refs/tags/v1', old: undefined, new: tag },
      ],
    ],
    { kind: 'updated' },
  ],
  [
    'updateRefs',
    [[{ ref: 'refs/heads/main', old: first, new: conflicting }]],
    { kind: 'moved', ref: 'refs/heads/main' },
  ],
  [
    'updateRefs',
    [[{ ref: 'refs/heads/main/x', old: none, new: conflicting }]],
    { kind: 'name-conflict' },
  ],
  ['setHead', ['main'], undefined],
];

export const reads: readonly Call[] = [
  ['readRef', ['refs/heads/main'], second],
  ['readRef', ['refs/heads/absent'], undefined],
  [
    'listRefs',
    ['refs/'],
    [
      { name: 'refs/heads/main', id: second, type: 'commit', peeled: second },
      { name: 'refs/tags/v1', id: tag, type: 'tag', peeled: first },
    ],
  ],
  ['resolveCommit', ['v1'], first],
  ['objectInfo', [oneLine], { type: 'blob', size: 4 }],
  ['readCommit', [second], secondCommit],
  ['readTag', [tag], { id: tag, ...annotatedTag }],
  [
    'readTree',
    [second, { recursive: true, entriesMax: 9 }],
    {
      id: secondTree,
      entries: [
        {
          path: 'docs',
          mode: '040000',
          type: 'tree',
          id: '6218aaa5fc1a58f5b32cbee55bc0cb0954022787',
          size: undefined,
        },
        changedFile,
      ],
      truncated: false,
    },
  ],
  ['findPath', [second, 'docs/a.txt'], changedFile],
  ['readBlob', [oneLine], Buffer.from('one\n')],
  [
    'log',
    [
      {
        from: second,
        notIn: [first],
        path: 'docs/a.txt',
        since: 1,
        until: 2_000_000_000,
        authors: ['mona'],
        skip: 0,
        max: 5,
        reverse: true,
      },
    ],
    [secondCommit],
  ],
  ['log', [{ from: second, message: 'first', max: 5 }], (value: unknown) => only(value, first)],
  ['log', [{ from: second, max: 1, withoutText: true }], (value: unknown) => only(value, second)],
  ['countCommits', [second, [first]], 1],
  ['divergences', [second, [conflicting]], [{ ahead: 1, behind: 1 }]],
  ['grep', [second, ['TWO'], 5], { paths: ['docs/a.txt'], cut: false }],
  [
    'blame',
    [second, 'docs/a.txt'],
    [
      {
        commit: first,
        from: 1,
        count: 1,
        author: 'Mona',
        seconds: 1_700_000_000,
        title: 'First',
        previous: undefined,
      },
      {
        commit: second,
        from: 2,
        count: 1,
        author: 'Mona',
        seconds: 1_700_000_000,
        title: 'Second',
        previous: { commit: first, path: 'docs/a.txt' },
      },
    ],
  ],
  [
    'lastCommits',
    [second, undefined],
    new Map([['docs', { id: second, title: 'Second', seconds: 1_700_000_000 }]]),
  ],
  [
    'containingRefs',
    [{ commit: first, refsVersion: 1, effort: 'thorough' }],
    {
      branches: { names: ['main'], count: 1 },
      tags: { names: ['v1'], count: 1 },
      cut: false,
    },
  ],
  ['contributors', [second], [{ name: 'Mona', email: 'mona@example.com', commits: 2 }]],
  ['mergeBase', [second, conflicting], first],
  ['isAncestor', [first, second], true],
  [
    'diffFiles',
    [
      first,
      second,
      {
        filesMax: 9,
        patches: true,
        ignoreWhitespace: false,
        patchBytesMax: 99,
        totalBytesMax: 999,
      },
    ],
    [
      {
        status: 'modified',
        path: 'docs/a.txt',
        previousPath: undefined,
        id: twoLines,
        mode: '100644',
        additions: 1,
        deletions: 0,
        binary: false,
        patch: '@@ -1 +1,2 @@\n one\n+two',
      },
    ],
  ],
  ['diffStat', [first, second], { files: 1, additions: 1, deletions: 0 }],
  ['diffText', [first, second], bytes],
  ['formatPatch', [first, second], bytes],
  [
    'mergeTrees',
    [second, otherFile],
    { kind: 'clean', tree: 'de7595c04de69d94441b7194e3fdaa08016ae89f' },
  ],
  ['mergeTrees', [second, conflicting], { kind: 'conflict', paths: ['docs/a.txt'] }],
  ['mergeTrees', [second, unrelated], { kind: 'unrelated' }],
  ['rebase', [second, otherFile, someone], { kind: 'clean', tip: rebased, commits: [rebased] }],
  ['rebase', [second, conflicting, someone], { kind: 'conflict', commit: conflicting }],
  ['testRebase', [second, otherFile], true],
  ['largeFilePointers', [second], []],
  ['size', [], (value: unknown) => sameFields(value, size)],
  ['maintain', ['full'], (value: unknown) => sameFields(value, { before: size, after: size })],
];

function bytes(value: unknown): void {
  assert.ok(Buffer.isBuffer(value) && value.length > 0);
}

function only(value: unknown, id: string): void {
  assert.ok(Array.isArray(value));
  assert.deepEqual(
    value.map((each: { readonly id: string }) => each.id),
    [id],
  );
}

/** Numbers of which only the names are known. */
function sameFields(value: unknown, expected: object): void {
  const zero = (_key: string, each: unknown): unknown => (typeof each === 'number' ? 0 : each);
  assert.deepEqual(JSON.parse(JSON.stringify(value, zero)), expected);
}
