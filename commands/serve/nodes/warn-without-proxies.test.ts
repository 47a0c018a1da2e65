import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { warnWithoutProxies } from './warn-without-proxies.ts';

describe('a node of a cluster', () => {
  it('is warned where it trusts no proxy, since clients come through a balancer', () => {
    const warned: string[] = [];
    const log = { warn: (_fields: object, message: string) => warned.push(message) };
    const cluster = { address: '10.0.0.11:3100', data: '/mnt/hob' };
    warnWithoutProxies({ cluster: undefined, trustedProxies: [] }, log);
    warnWithoutProxies({ cluster, trustedProxies: ['10.0.0.0/8'] }, log);
    assert.deepEqual(warned, []);
    warnWithoutProxies({ cluster, trustedProxies: [] }, log);
    assert.equal(warned.length, 1);
    assert.match(warned[0] ?? '', /^HOB_TRUSTED_PROXIES is not set: /);
  });
});
