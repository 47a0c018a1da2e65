import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import {
  branchRef,
  noObject,
  parseBranchName,
  parseObjectId,
  parseRefName,
  parseTreePath,
  pullHeadRef,
  pullMergeRef,
} from './names.ts';

suite('names', () => {
  const malformed = [
    ['', 'empty'],
    ['main', 'not below refs/'],
    ['refs/heads', 'nothing below the folder'],
    ['refs/heads/', 'ends in a slash'],
    ['refs/heads/a.', 'ends in a dot'],
    ['refs/heads/a..b', 'two dots'],
    ['refs/heads//a', 'two slashes'],
    ['refs/heads/.a', 'a segment begins with a dot'],
    ['refs/heads/a.lock', 'a segment ends in .lock'],
    ['refs/heads/a.lock/b', 'a segment ends in .lock'],
    ['refs/heads/a@{1}', 'a reflog entry'],
    ['refs/heads/a b', 'a space'],
    ['refs/heads/a\nb', 'a newline'],
    ['refs/heads/a\0b', 'a NUL'],
    ['refs/heads/a\x7f', 'DEL'],
    ['refs/heads/a~1', 'an ancestor'],
    ['refs/heads/a^', 'a parent'],
    ['refs/heads/a:b', 'a colon'],
    ['refs/heads/a?', 'a glob'],
    ['refs/heads/a*', 'a glob'],
    ['refs/heads/a[b', 'a glob'],
    ['refs/heads/a\\b', 'a backslash'],
    [`refs/heads/${'a'.repeat(240)}`, 'too long'],
  ] as const;
  for (const [name, why] of malformed) {
    test(`refuses the ref ${JSON.stringify(name).slice(0, 40)}: ${why}`, () => {
      assert.equal(parseRefName(name), undefined);
    });
  }

  for (const name of ['HEAD', '@', '-x', '--output=x', 'a'.repeat(40), 'A'.repeat(40)]) {
    test(`refuses the branch ${name}`, () => {
      assert.equal(parseBranchName(name), undefined);
    });
  }

  for (const name of [
    '$(id)',
    ';id',
    '`id`',
    '<script>',
    '%2e%2e',
    'ünï',
    'a'.repeat(39),
    'a/-b',
  ]) {
    test(`takes the branch ${name} as it is`, () => {
      const branch = parseBranchName(name);
      assert.ok(branch);
      assert.equal(branchRef(branch), `refs/heads/${name}`);
    });
  }

  for (const path of [
    '',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    'a/./b',
    '.git',
    'a/.GIT/config',
    'a\0b',
    '.g\u200cit',
    'git~1',
    'a/GIT~1/b',
    '.git ',
    '.git..',
    '.git:x',
    'a\\.git',
  ]) {
    test(`refuses the path ${JSON.stringify(path)}`, () => {
      assert.equal(parseTreePath(path), undefined);
    });
  }

  test('takes odd but harmless paths', () => {
    for (const path of [
      'a b',
      '-x',
      '...',
      'a\nb',
      'é',
      ':(glob)*',
      '.gitx',
      '.gitignore',
      'git~2',
      'x.git',
    ]) {
      assert.equal(parseTreePath(path), path);
    }
  });

  test('reads object ids in either case', () => {
    assert.equal(parseObjectId('AB'.repeat(20)), 'ab'.repeat(20));
    for (const text of ['', 'ab', 'g'.repeat(40), 'a'.repeat(41), `${'a'.repeat(40)}\n`]) {
      assert.equal(parseObjectId(text), undefined);
    }
    assert.equal(noObject, '0'.repeat(40));
  });

  test('names the refs of pulls', () => {
    assert.equal(pullHeadRef(7), 'refs/pull/7/head');
    assert.equal(pullMergeRef(7), 'refs/pull/7/merge');
  });
});
