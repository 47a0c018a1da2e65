import assert from 'node:assert/strict';
import { test } from 'node:test';

import { didYouMean } from './did-you-mean.ts';

const commands = ['serve', 'admin', 'create-user', 'create-token'];

for (const [word, nearest] of [
  ['frobnicate', undefined],
  ['', undefined],
  ['s', undefined],
  ['server', 'serve'],
  ['sreve', 'serve'],
  ['admn', 'admin'],
  ['create-users', 'create-user'],
  ['createtoken', 'create-token'],
] as const) {
  test(`the candidate nearest to "${word}" is ${nearest ?? 'none'}`, () => {
    assert.equal(didYouMean(word, commands), nearest);
  });
}
