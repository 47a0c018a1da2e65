import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Credential } from './credential.ts';
import { createSigningKeys } from './signing-keys.ts';

describe('signing keys', () => {
  it('are derived once for a credential and a day, and forgotten when there are too many', () => {
    const opened: string[] = [];
    const credential = (cacheKey: string): Credential => ({
      principal: {
        kind: 'user',
        accessKeyId: 'A',
        accountId: '1',
        arn: 'a',
        userId: 'u',
        forgeUserId: 1,
      },
      cacheKey,
      expiresAt: undefined,
      secret() {
        opened.push(cacheKey);
        return `secret of ${cacheKey}`;
      },
    });
    const keys = createSigningKeys('us-east-1');
    const first = keys.of(credential('busy'), '20260101', 'lambda');
    assert.equal(keys.of(credential('busy'), '20260101', 'lambda'), first);
    assert.notDeepEqual(keys.of(credential('busy'), '20260102', 'lambda'), first);
    assert.notDeepEqual(keys.of(credential('other'), '20260101', 'lambda'), first);
    assert.notDeepEqual(keys.of(credential('busy'), '20260101', 'sts'), first);
    assert.deepEqual(opened, ['busy', 'busy', 'other', 'busy']);
    for (let index = 0; index < 2000; index += 1) {
      keys.of(credential(`rare ${index}`), '20260101', 'lambda');
      keys.of(credential('busy'), '20260101', 'lambda');
    }
    keys.of(credential('rare 1999'), '20260101', 'lambda');
    assert.equal(opened.length, 2004);
    keys.of(credential('rare 0'), '20260101', 'lambda');
    assert.equal(opened.length, 2005);
  });
});
