import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../../testing/test-forge.ts';
import { openPull } from './pull-fixture.ts';

describe('the addresses in a pull', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());

  /** Every text below a value that is named like an address, with the path that leads to it. */
  function addressesIn(value: unknown, path = ''): [path: string, address: string][] {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) => {
      const here = `${path}.${name}`;
      const address = /(^|_)url$|^href$/.test(name) && typeof inner === 'string';
      return address ? [[here, inner]] : addressesIn(inner, here);
    });
  }

  test('are answered by this server, or not found in the documented shape', async () => {
    const { path } = await openPull(forge, owner);
    const { body } = await owner.get(path);
    const seen = new Set<string>();
    for (const [where, address] of addressesIn(body)) {
      if (address.includes('{') || !address.startsWith('http') || seen.has(address)) continue;
      seen.add(address);
      assert.ok(address.startsWith('http://forge.test/'), `${where} ${address}`);
      const answer = await owner.get(address.slice('http://forge.test'.length));
      assert.ok([200, 204, 404].includes(answer.status), `${where} ${answer.status} ${address}`);
    }
    for (const name of [
      'url',
      'html_url',
      'diff_url',
      'patch_url',
      'commits_url',
      'statuses_url',
    ]) {
      const answer = await owner.get(body[name].slice('http://forge.test'.length));
      assert.equal(answer.status, 200, name);
    }
  });

  test('are templates of RFC 6570 where they have braces', async () => {
    const { path } = await openPull(forge, owner);
    for (const [where, address] of addressesIn((await owner.get(path)).body)) {
      const rest = address.replaceAll(/\{[+/?&]?[a-z_]+(?:,[a-z_]+)*\}/g, '');
      assert.ok(!/[{}]/.test(rest), `${where} ${address}`);
    }
  });
});
