import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type Criterion, parseSearchQuery, SearchQueryError } from './search-query.ts';
import { numberRange, timeRange } from './search-ranges.ts';

const known = new Set(['is', 'label', 'author', 'repo', 'user', 'org', 'created']);

/** A criterion as a short text. */
function shown(criterion: Criterion): string {
  switch (criterion.kind) {
    case 'text':
      return `“${criterion.text}”`;
    case 'qualifier':
      return `${criterion.name}:${criterion.values.join('|')}`;
    case 'not':
      return `!${shown(criterion.part)}`;
    case 'all':
      return `(${criterion.parts.map(shown).join(' & ')})`;
    case 'any':
      return `(${criterion.parts.map(shown).join(' / ')})`;
  }
}

function parsed(query: string): string {
  return shown(parseSearchQuery(query, known).criterion);
}

describe('a search query', () => {
  test('has words, quoted texts and qualifiers', () => {
    for (const [query, criterion] of [
      ['', '()'],
      ['  broken   build ', '(“broken” & “build”)'],
      ['"broken build"', '(“broken build”)'],
      ['is:open label:"good first issue"', '(is:open & label:good first issue)'],
      ['label:a,"b c",d', '(label:a|b c|d)'],
      ['LABEL:Bug', '(label:Bug)'],
      ['-label:bug NOT author:ada', '(!label:bug & !author:ada)'],
      ['foo:bar std::string', '(“foo:bar” & “std::string”)'],
      ['say "a \\"b\\" c"', '(“say” & “a "b" c”)'],
      ['"open', '(“open”)'],
      ['main() f(x)', '(“main()” & “f(x)”)'],
      ['author:app/robot', '(author:app/robot)'],
      ['größe:1', '(“größe:1”)'],
    ] as const) {
      assert.equal(parsed(query), criterion, query);
    }
  });

  test('combines what is repeated by what one result can meet', () => {
    assert.equal(parsed('repo:a/b user:c x'), '((repo:a/b / user:c) & “x”)');
    assert.equal(parsed('author:a author:b'), '((author:a / author:b))');
    assert.equal(parsed('label:a label:b'), '(label:a & label:b)');
  });

  test('has operators and brackets, which are passed over where they combine nothing', () => {
    for (const [query, criterion] of [
      ['a OR b c', '((“a”) / (“b” & “c”))'],
      ['a AND b', '(“a” & “b”)'],
      ['a (b OR c)', '(“a” & ((“b”) / (“c”)))'],
      ['a OR', '(“a”)'],
      ['OR a', '(“a”)'],
      ['NOT', '()'],
      ['(a', '((“a”))'],
      ['a)', '(“a”)'],
      ['((()))', '()'],
    ] as const) {
      assert.equal(parsed(query), criterion, query);
    }
  });

  test('takes its order from itself', () => {
    const { sort, criterion } = parseSearchQuery('x sort:updated-asc', known);
    assert.deepEqual([sort, shown(criterion)], ['updated-asc', '(“x”)']);
  });

  test('is refused where it is too long', () => {
    for (const [query, message] of [
      ['x'.repeat(257), /longer than 256 characters/],
      ['a OR '.repeat(6), /More than five AND \/ OR \/ NOT operators were used/],
      [`-"${'x'.repeat(257)}"`, /longer than 256 characters/],
      ['-x '.repeat(6), /More than five AND \/ OR \/ NOT operators were used/],
      ['x '.repeat(41), /more than 40 parts/],
      [`label:${Array.from({ length: 21 }, (_, each) => each).join(',')}`, /more than 20 values/],
      [`-label:"${'x'.repeat(257)}"`, /value of a qualifier is longer than 256 characters/],
      ['is:open'.repeat(1000), /longer than 4096 characters/],
    ] as const) {
      assert.throws(() => parseSearchQuery(query, known), message);
    }
    assert.equal(parsed(`label:${'a,'.repeat(30)}a`), '(label:a)');
  });

  test('takes time in proportion to its length', () => {
    for (const query of ['"'.repeat(4000), '('.repeat(90), '\\"'.repeat(2000), 'a:'.repeat(2000)]) {
      try {
        parseSearchQuery(query, known);
      } catch (error) {
        assert.ok(error instanceof SearchQueryError, String(error));
      }
    }
  });
});

describe('a range of a search', () => {
  test('of numbers has its ends', () => {
    for (const [text, range] of [
      ['5', { from: 5, to: 5 }],
      ['>5', { from: 6 }],
      ['>=5', { from: 5 }],
      ['<5', { to: 4 }],
      ['<=5', { to: 5 }],
      ['2..5', { from: 2, to: 5 }],
      ['*..5', { to: 5 }],
      ['2..*', { from: 2 }],
    ] as const) {
      assert.deepEqual(numberRange(text), range, text);
    }
    assert.throws(() => numberRange('many'), SearchQueryError);
  });

  test('of dates holds whole days, and is refused in the words of GitHub', () => {
    const start = Date.UTC(2026, 0, 2);
    const day = 86_400_000;
    assert.deepEqual(timeRange('2026-01-02'), { from: start, to: start + day - 1 });
    assert.deepEqual(timeRange('>2026-01-02'), { from: start + day });
    assert.deepEqual(timeRange('2026-01-02..2026-01-03'), {
      from: start,
      to: start + 2 * day - 1,
    });
    assert.deepEqual(timeRange('<2026-01-02T01:00:00+01:00'), { to: start - 1 });
    for (const text of ['yesterday', '2026-13-01', '', '2026-01-02T25:00', '>']) {
      assert.throws(() => timeRange(text), /is not a recognized date\/time format/, text);
    }
  });
});
