import assert from 'node:assert/strict';
import { test } from 'node:test';

import { welcome } from './startup-banner.ts';

const urls = { baseUrl: 'http://127.0.0.1:3000', urlDomain: 'localhost', sshPort: undefined };
const started = {
  credentials: undefined,
  accessKey: undefined,
  isolation: { tier: 'full' },
} as const;

function linesWith(testControls: 'off' | 'on' | 'any-address'): string[] {
  const admin = { login: undefined, password: undefined, token: undefined };
  const lines = welcome(urls, started, { admin, region: 'us-east-1', testControls });
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

test('a start with git over SSH says where, and by which keys it is known', () => {
  const admin = { login: undefined, password: undefined, token: undefined };
  const settings = { admin, region: 'us-east-1', testControls: 'off' } as const;
  const key = { algorithm: 'ssh-ed25519', publicKey: '', privateKey: '', fingerprint: 'abc' };
  const lines = welcome({ ...urls, sshPort: 2222 }, started, settings, [key]);
  assert.deepEqual(lines.slice(-2), [
    '  git over SSH       ssh://git@127.0.0.1:2222/OWNER/REPOSITORY.git',
    '  host key           SHA256:abc (ssh-ed25519)',
  ]);
});
