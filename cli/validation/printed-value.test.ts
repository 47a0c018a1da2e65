import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Float, inputMap, type InputValue } from './input-value.ts';
import { pythonRepr, printedKind, printedValue } from './printed-value.ts';

describe('a value in a message, in the notation of the AWS CLI', () => {
  const values: readonly (readonly [value: InputValue, printed: string, kind: string])[] = [
    [null, 'None', 'NoneType'],
    [true, 'True', 'bool'],
    [false, 'False', 'bool'],
    [7, '7', 'int'],
    [9_007_199_254_740_993n, '9007199254740993', 'int'],
    [new Float(2), '2.0', 'float'],
    [new Float(0.5), '0.5', 'float'],
    [new Float(1e16), '1e+16', 'float'],
    [new Float(1e-7), '1e-07', 'float'],
    [new Float(1e100), '1e+100', 'float'],
    ['text', "'text'", 'str'],
    ["it's", `"it's"`, 'str'],
    [`"it's"`, String.raw`'"it\'s"'`, 'str'],
    ['a\\b\n\r\t', String.raw`'a\\b\n\r\t'`, 'str'],
    ['\u0001\u007f\u00a0é', String.raw`'\x01\x7f\xa0é'`, 'str'],
    ['\ud800', String.raw`'\ud800'`, 'str'],
    [Buffer.from([0, 65, 255]), String.raw`b'\x00A\xff'`, 'bytes'],
    [[1, 'a', [null]], "[1, 'a', [None]]", 'list'],
    [[], '[]', 'list'],
    [
      inputMap([
        ['a', true],
        ['b', inputMap()],
      ]),
      "{'a': True, 'b': {}}",
      'dict',
    ],
  ];
  for (const [value, printed, kind] of values) {
    test(`is printed as ${printed}`, () => {
      assert.equal(pythonRepr(value), printed);
      assert.equal(printedKind(value), `<class '${kind}'>`);
    });
  }

  test('is a text without quotes by itself', () => {
    assert.equal(printedValue('it\n'), 'it\n');
    assert.equal(printedValue(['it']), "['it']");
  });
});
