import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseEventPattern } from './event-pattern.ts';

const event = {
  body: {
    kind: 'order',
    total: 12,
    ok: true,
    none: null,
    empty: '',
    tags: ['a', 'b'],
    in: [{ x: 1 }],
  },
};

const patterns: readonly (readonly [object, boolean])[] = [
  [{ body: { kind: ['order'] } }, true],
  [{ body: { kind: ['offer'] } }, false],
  [{ body: { kind: ['offer', 'order'], total: [12] } }, true],
  [{ body: { kind: ['order'], total: [13] } }, false],
  [{ body: { total: ['12'] } }, false],
  [{ body: { ok: [true] } }, true],
  [{ body: { none: [null] } }, true],
  [{ body: { missing: [null] } }, false],
  [{ body: { empty: [''] } }, true],
  [{ body: { tags: ['b'] } }, true],
  [{ body: { tags: ['c'] } }, false],
  [{ body: { in: { x: [1] } } }, true],
  [{ body: { in: { x: [2] } } }, false],
  [{ body: { kind: [{ prefix: 'or' }] } }, true],
  [{ body: { kind: [{ prefix: 'der' }] } }, false],
  [{ body: { kind: [{ suffix: 'der' }] } }, true],
  [{ body: { kind: [{ 'equals-ignore-case': 'ORDER' }] } }, true],
  [{ body: { kind: [{ 'anything-but': 'offer' }] } }, true],
  [{ body: { kind: [{ 'anything-but': ['offer', 'order'] }] } }, false],
  [{ body: { kind: [{ 'anything-but': { prefix: 'or' } }] } }, false],
  [{ body: { missing: [{ 'anything-but': 'offer' }] } }, false],
  [{ body: { total: [{ numeric: ['=', 12] }] } }, true],
  [{ body: { total: [{ numeric: ['>', 0, '<=', 12] }] } }, true],
  [{ body: { total: [{ numeric: ['>', 0, '<', 12] }] } }, false],
  [{ body: { kind: [{ numeric: ['>=', 0] }] } }, false],
  [{ body: { kind: [{ exists: true }] } }, true],
  [{ body: { kind: [{ exists: false }] } }, false],
  [{ body: { missing: [{ exists: false }] } }, true],
  [{ missing: { deep: [{ exists: false }] } }, true],
  [{ body: { constructor: [{ exists: true }] } }, false],
  [{ body: { $or: [{ kind: ['offer'] }, { total: [12] }] } }, true],
  [{ body: { $or: [{ kind: ['offer'] }, { total: [13] }] } }, false],
];

const refused: readonly string[] = [
  '',
  'x',
  '[]',
  '"text"',
  '{}',
  '{"body":"order"}',
  '{"body":[]}',
  '{"body":{}}',
  '{"body":[["order"]]}',
  '{"body":[{}]}',
  '{"body":[{"prefix":1}]}',
  '{"body":[{"prefix":"a","suffix":"b"}]}',
  '{"body":[{"anything-but":[]}]}',
  '{"body":[{"anything-but":null}]}',
  '{"body":[{"exists":"yes"}]}',
  '{"body":[{"numeric":[]}]}',
  '{"body":[{"numeric":["=","1"]}]}',
  '{"body":[{"numeric":["!",1]}]}',
  '{"body":[{"cidr":"10.0.0.0/8"}]}',
  '{"$or":[{"a":[1]}]}',
  '{"$or":[1,2]}',
];

describe('the pattern of a filter', () => {
  for (const [pattern, expected] of patterns) {
    const text = JSON.stringify(pattern);
    it(`${expected ? 'matches' : 'does not match'}: ${text}`, () => {
      assert.equal(parseEventPattern(text)?.(event), expected);
    });
  }

  for (const text of refused) {
    it(`is none: ${text}`, () => {
      assert.equal(parseEventPattern(text), undefined);
    });
  }

  it('compares hundreds of rules with a megabyte of text at once', () => {
    const rules = Array.from({ length: 150 }, (_, index) => ({
      'equals-ignore-case': `Я${index}`,
    }));
    const matches = parseEventPattern(JSON.stringify({ body: rules }));
    const before = process.cpuUsage();
    assert.equal(matches?.({ body: 'İЯ'.repeat(256 * 1024) }), false);
    const { user } = process.cpuUsage(before);
    // In lower case once for each rule, it is 0.6 seconds.
    assert.ok(user < 150_000, `${user} µs`);
    for (const text of ['я7', 'Я7']) assert.equal(matches?.({ body: text }), true);
    const longer = parseEventPattern('{"body":[{"equals-ignore-case":"İ"}]}');
    assert.equal(longer?.({ body: 'İ' }), true);
    assert.equal(longer?.({ body: 'i\u0307' }), true);
  });
});
