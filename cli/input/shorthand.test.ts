import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { type InputMap, inputMap, type InputValue } from '../validation/input-value.ts';
import { parseShorthand, ShorthandProblem } from './shorthand-parser.ts';
import { shorthandText } from './shorthand-hint.ts';

const parse = (input: string): InputMap =>
  parseShorthand(input, (value) => (value.startsWith('file://') ? `<${value.slice(7)}>` : value));

const plain = (value: InputValue): unknown => JSON.parse(JSON.stringify(value));

/** Where each mistake is pointed at: under the character, or behind the end. */
const mistakes: readonly (readonly [string, string])[] = [
  ['', "Expected: '=', received: 'EOF' for input:\n \n^"],
  ['Mode', "Expected: '=', received: 'EOF' for input:\n Mode\n    ^"],
  ['V={A=1', "Expected: ',', received: 'EOF' for input:\n V={A=1\n      ^"],
  ['V={A=1,B}', "Expected: '=', received: '}' for input:\n V={A=1,B}\n        ^"],
  ['V={A=a{b}}', "Expected: ',', received: '}' for input:\n V={A=a{b}}\n         ^"],
  ['V={A=}', "Expected: ',', received: 'EOF' for input:\n V={A=}\n      ^"],
  ['A=[1,2', "Expected: ',', received: 'EOF' for input:\n A=[1,2\n      ^"],
  ['A="x', "Expected: '<double quoted>', received: '<none>' for input:\n A=\"x\n  ^"],
  ['A=b,', "Expected: '<second>', received: '<none>' for input:\n A=b,\n    ^"],
  ['A=1,\nB==2\nC=3', "Expected: ',', received: '=' for input:\n A=1,\nB==2\n  ^\nC=3"],
  [
    'A=1,B=2,A=3',
    'Second instance of key "A" encountered for input:\nA=1,B=2,A=3\n        ^\nThis is often because there is a preceding "," instead of a space.',
  ],
];

const readings: readonly (readonly [string, unknown])[] = [
  ['Mode=Active', { Mode: 'Active' }],
  ['A=', { A: '' }],
  ['A=,B=', { A: '', B: '' }],
  ['A=1,2,3', { A: ['1', '2', '3'] }],
  ['A=1,B=2', { A: '1', B: '2' }],
  ['A=1,,B=2', { A: '1', B: '2' }],
  ['A=1,2,B=3', { A: ['1', '2'], B: '3' }],
  ['A = 1 , B = 2 ', { A: '1', B: '2' }],
  ['A=[],B={}', { A: [], B: {} }],
  ['A=[x,[y,z]],B={C={D=1}}', { A: ['x', ['y', 'z']], B: { C: { D: '1' } } }],
  ['V={A=two args,B="x,y",C=\'z\'}', { V: { A: 'two args', B: 'x,y', C: 'z' } }],
  [String.raw`A="say \"hi\" \\ \n"`, { A: String.raw`say "hi" \ \n` }],
  [String.raw`A=x\,y`, { A: 'x,y' }],
  ['A=k=v', { A: 'k=v' }],
  ['V={A=1,A=2}', { V: { A: '2' } }],
  ['V={A@=file://v,B=file://v}', { V: { A: '<v>', B: 'file://v' } }],
  ['A@=file://a,file://b', { A: ['<a>', '<b>'] }],
  ['A=日本 é,B=😀', { A: '日本 é', B: '😀' }],
  ['__proto__=1,toString=2', JSON.parse('{"__proto__":"1","toString":"2"}')],
];

const word = fc.string({ unit: 'grapheme', maxLength: 12 });
const key = fc.stringMatching(/^[A-Za-z0-9_.#/:-]{1,8}$/);
const { value } = fc.letrec<{ value: InputValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}));

describe('shorthand', () => {
  test('points at what is wrong', () => {
    for (const [input, message] of mistakes) {
      assert.throws(
        () => parse(input),
        (error) => error instanceof ShorthandProblem && error.message === message,
        input,
      );
    }
  });

  test('refuses what is nested too deeply instead of running out of stack', () => {
    assert.throws(() => parse(`A=${'['.repeat(100_000)}`), ShorthandProblem);
    assert.throws(() => parse(`A=${'{B='.repeat(100_000)}`), ShorthandProblem);
  });

  test('an unfinished quote after many escapes is found at once', () => {
    assert.throws(() => parse(`A="${'\\'.repeat(50_001)}`), ShorthandProblem);
  });

  test('reads values, lists and maps', () => {
    for (const [input, expected] of readings)
      assert.deepEqual(plain(parse(input)), expected, input);
  });

  test('what is written is read back', () => {
    fc.assert(
      fc.property(fc.dictionary(key, value, { minKeys: 1, maxKeys: 4 }), (map) => {
        const given = inputMap(Object.entries(map));
        assert.deepEqual(plain(parse(shorthandText(given))), plain(given));
      }),
    );
  });

  test('any text is read or refused with a position in it', () => {
    const piece = fc.constantFrom(
      'A',
      '=',
      '{',
      '}',
      '[',
      ']',
      ',',
      '"',
      "'",
      '\\',
      ' ',
      '@',
      '\n',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((all) => all.join('')),
        ),
        (input) => {
          try {
            parse(input);
          } catch (error) {
            assert.ok(error instanceof ShorthandProblem);
            assert.ok(error.index >= 0 && error.index <= input.length + 1);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});
