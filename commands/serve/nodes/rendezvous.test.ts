import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { rendezvous } from './rendezvous.ts';

describe('the server of a key', () => {
  const keys = Array.from({ length: 3000 }, (_key, number) => `function ${number}`);
  const server = (serverId: string) => ({ serverId });
  const three = ['a', 'b', 'c'].map(server);
  const four = [...three, server('d')];
  const of = (key: string, servers: readonly { readonly serverId: string }[]) =>
    rendezvous(key, servers)?.serverId;

  it('is undefined without servers, and does not depend on their order', () => {
    assert.equal(of('f', []), undefined);
    for (const key of keys) assert.equal(of(key, three), of(key, three.toReversed()), key);
  });

  it('is each for about as many keys', () => {
    const counts = three.map(({ serverId }) => keys.filter((key) => of(key, three) === serverId));
    for (const { length } of counts) assert.ok(length > 900 && length < 1100, String(length));
  });

  it('changes for the keys alone that a joining server gets', () => {
    const moved = keys.filter((key) => of(key, three) !== of(key, four));
    assert.ok(moved.length > 650 && moved.length < 850, String(moved.length));
    for (const key of moved) assert.equal(of(key, four), 'd', key);
  });
});
