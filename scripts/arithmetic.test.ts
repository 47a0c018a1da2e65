import assert from 'node:assert/strict';
import { test } from 'node:test';

import { evaluate } from './arithmetic.ts';

const names: Readonly<Record<string, string>> = {
  mebibyte: '1024 * 1024',
  most: '10 * mebibyte',
  text: "'10'",
};
const expressionOf = (name: string): string | undefined => names[name];

const expressions: readonly (readonly [expression: string, value: number | undefined])[] = [
  ['0.25', 0.25],
  ['5 * 60_000', 300_000],
  ['1 << 20', 1_048_576],
  ['2 ** 20', 1_048_576],
  ['2 * 1024 ** 3', 2_147_483_648],
  ['1024 * 1024 + 4096', 1_052_672],
  ['(1 + 2) * 3 - 4 / 2 - 1', 6],
  ['64 * mebibyte', 67_108_864],
  ['most', 10_485_760],
  ['text', undefined],
  ['unknown * 2', undefined],
  ['Date.UTC(9999, 11)', undefined],
  ["'10'", undefined],
  ['(1 + 2', undefined],
  ['', undefined],
];

for (const [expression, value] of expressions) {
  test(`${expression} is ${value}`, () => {
    assert.equal(evaluate(expression, expressionOf), value);
  });
}
