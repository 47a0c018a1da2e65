import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { closingReferences, withoutCode } from './closing-keywords.ts';

const origins = ['https://forge.test', 'http://127.0.0.1:3000'];

/** As `owner/name#number`, or `#number` for the repository of the text. */
function closedBy(text: string): string[] {
  return closingReferences(text, origins).map(
    ({ repository, number }) =>
      `${repository ? `${repository.owner}/${repository.name}` : ''}#${number}`,
  );
}

describe('closing keywords', () => {
  const words = 'close closes closed fix fixes fixed resolve resolves resolved'.split(' ');
  for (const word of words) {
    test(`${word}, with a colon or in capitals, closes what follows it`, () => {
      const capitals = word.toUpperCase();
      const first = capitals.slice(0, 1) + word.slice(1);
      for (const text of [
        `${word} #1`,
        `${word}: #1`,
        `${capitals} #1`,
        `${first} #1.`,
        `Change a. ${first} #1`,
        `(${word} #1)`,
        `${word}  #1`,
        `${word} GH-1`,
      ]) {
        assert.deepEqual(closedBy(text), ['#1'], text);
      }
    });
  }

  const closing: readonly (readonly [text: string, closed: readonly string[]])[] = [
    ['Fixes octo-org/octo.repo#100', ['octo-org/octo.repo#100']],
    [
      'Resolves #10, resolves #123, resolves octo-org/octo-repo#100',
      ['#10', '#123', 'octo-org/octo-repo#100'],
    ],
    ['fixes #1\nfixes #1\nFIXES #01', ['#1']],
    ['fixes https://forge.test/o/r/issues/7', ['o/r#7']],
    ['fixes: http://127.0.0.1:3000/o/r/pull/7.', ['o/r#7']],
    ['fixes https://forge.test/o/r/issues/7#issuecomment-1', ['o/r#7']],
  ];
  for (const [text, closed] of closing) {
    test(`${JSON.stringify(text)} closes ${closed.join(', ')}`, () => {
      assert.deepEqual(closedBy(text), closed);
    });
  }

  for (const text of [
    '#1',
    'fixes 1',
    'fixes#1',
    'fixing #1',
    'prefixes #1',
    'hot-fix #1',
    'fixes\n#1',
    'fixes #1a',
    'fixes the #1',
    'fixes #x',
    'fixes o/#1',
    'fixes https://elsewhere.test/o/r/issues/7',
    'fixes https://forge.test.elsewhere.test/o/r/issues/7',
    'fixes https://forge.test/o/r/issues/',
    'addresses #1',
  ]) {
    test(`${JSON.stringify(text)} closes nothing`, () => assert.deepEqual(closedBy(text), []));
  }

  test('a text closes a hundred issues and no more', () => {
    const text = Array.from({ length: 150 }, (_, index) => `fixes #${index + 1}`).join('\n');
    assert.equal(closedBy(text).length, 100);
  });

  test('a long text without any is read at once', () => {
    const began = performance.now();
    for (const part of ['fixes ', 'fixes: ', 'a', ' ', 'fixes https://', 'fixes a/', '`', '<!--']) {
      const text = part.repeat(Math.floor(65_536 / part.length));
      assert.deepEqual(closedBy(withoutCode(text)), []);
    }
    assert.ok(performance.now() - began < 5000);
  });

  test('what is code or a comment in a body closes nothing', () => {
    for (const body of [
      'Write `fixes #1` here',
      '<!-- fixes #1 -->',
      '<!-- fixes #1',
      '```\nfixes #1\n```',
      '~~~ md\nfixes #1\n~~~\n',
      '```\nfixes #1',
    ]) {
      assert.deepEqual(closedBy(withoutCode(body)), [], body);
    }
    assert.deepEqual(closedBy(withoutCode('```\nfixes #1\n```\nfixes #2 `x`, closes #3')), [
      '#2',
      '#3',
    ]);
  });
});
