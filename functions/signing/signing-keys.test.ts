import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Credential } from './credential.ts';
import { createSigningKeys } from './signing-keys.ts';

describe('signing keys', () => {
  it('are derived once for a credential and a day, and forgotten when there are too many', () => {
    const opened: string[] = [];
    const credential = (mark: string): Credential => ({
      principal: { kind: 'user', accessKeyId: 'A', accountId: '1', arn: 'a' },
      mark,
      expiresAt: undefined,
      secret() {
        opened.push(mark);
        return `secret of ${mark}`;
      },
    });
    const keys = createSigningKeys('us-east-1');
    const first = keys.of(credential('busy'), '20260101');
    assert.equal(keys.of(credential('busy'), '20260101'), first);
    assert.notDeepEqual(keys.of(credential('busy'), '20260102'), first);
    assert.notDeepEqual(keys.of(credential('other'), '20260101'), first);
    assert.deepEqual(opened, ['busy', 'busy', 'other']);
    for (let index = 0; index < 2000; index += 1) {
      keys.of(credential(`rare ${index}`), '20260101');
      keys.of(credential('busy'), '20260101');
    }
    keys.of(credential('rare 1999'), '20260101');
    assert.equal(opened.length, 2003);
    keys.of(credential('rare 0'), '20260101');
    assert.equal(opened.length, 2004);
  });
});
