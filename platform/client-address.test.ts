import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { clientOf } from './client-address.ts';

describe('the client behind an address', () => {
  test('has one address of IPv4, however it is written', () => {
    assert.equal(clientOf('192.0.2.1'), '192.0.2.1');
    assert.equal(clientOf('::ffff:192.0.2.1'), '192.0.2.1');
  });

  test('has a network of 64 bits of IPv6', () => {
    const network = clientOf('2001:db8:0:1::1');
    for (const address of [
      '2001:db8:0:1:ffff::2',
      '2001:db8:0:1:1:2:3:4',
      '2001:db8:0:1::1%eth0',
    ]) {
      assert.equal(clientOf(address), network);
    }
    assert.notEqual(clientOf('2001:db8:0:2::1'), network);
    assert.notEqual(clientOf('2001:db8::1'), network);
  });
});
