import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isDecodable } from './decodable.ts';

for (const text of ['%', '%2', '%zz', 'a%ff', '%C3', '%ED%A0%80', 'b%C3%28']) {
  test(`${text} cannot be decoded`, () => assert.equal(isDecodable(text), false));
}
for (const text of ['', 'plain', '%25', '%C3%A9', 'a%20b', '%F0%9F%98%80', 'é']) {
  test(`"${text}" can be decoded`, () => assert.equal(isDecodable(text), true));
}
