import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Float, inputMap } from '../validation/input-value.ts';
import { readYaml } from './yaml-reader.ts';

describe('a YAML document', () => {
  test('is read by the core schema, with integers of any size', () => {
    const text =
      'a: 1\nb: 1.0\nc: 9007199254740993\nd: [yes, true, null, ~]\n7: x\ne: !!binary AQI=\n';
    assert.deepEqual(readYaml(text), {
      kind: 'value',
      value: inputMap([
        ['a', 1],
        ['b', new Float(1)],
        ['c', 9_007_199_254_740_993n],
        ['d', ['yes', true, null, null]],
        ['7', 'x'],
        ['e', Buffer.from([1, 2])],
      ]),
    });
    assert.deepEqual(readYaml(''), { kind: 'value', value: null });
  });

  test('has members of any name', () => {
    const read = readYaml('__proto__: a\n');
    assert.deepEqual(Object.entries(read.kind === 'value' ? (read.value ?? {}) : {}), [
      ['__proto__', 'a'],
    ]);
  });

  const bomb = `${Array.from({ length: 9 }, (_, at) => `a${at}: &a${at} [${at === 0 ? 'x' : `*a${at - 1}, *a${at - 1}, *a${at - 1}, *a${at - 1}`}]`).join('\n')}\n`;
  for (const [name, text] of [
    ['a syntax error', 'a: ['],
    ['a key twice', 'a: 1\na: 2'],
    ['an unknown tag', 'a: !thing 1'],
    ['a key that is a map', '? {a: 1}\n: b'],
    ['aliases of aliases', bomb],
  ] as const) {
    test(`is refused with ${name}`, () => assert.deepEqual(readYaml(text), { kind: 'problem' }));
  }
});
