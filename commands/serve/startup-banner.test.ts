import assert from 'node:assert/strict';
import { test } from 'node:test';

import { welcome } from './startup-banner.ts';

const addresses = { baseUrl: 'http://127.0.0.1:3000', urlDomain: 'localhost' };
const started = {
  credentials: undefined,
  accessKey: undefined,
  isolation: { tier: 'full' },
} as const;

function linesWith(testControls: 'off' | 'on' | 'any-address'): string[] {
  const admin = { login: undefined, password: undefined, token: undefined };
  const lines = welcome(addresses, started, { admin, region: 'us-east-1', testControls });
  return lines.filter((line) => line.includes('test controls'));
}

test('a start with test controls says so, and no other start does', () => {
  assert.deepEqual(linesWith('off'), []);
  for (const value of ['on', 'any-address'] as const) {
    assert.deepEqual(linesWith(value), [
      '  test controls      http://127.0.0.1:3000/-/test: site administrators can reset this server',
    ]);
  }
});
