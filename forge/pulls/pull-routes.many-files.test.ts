import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { openPull } from '../testing/pull-fixture.ts';

describe('a pull of very many files', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());

  test('counts them all and lists the first 3000', async () => {
    const names = Array.from({ length: 3001 }, (_, index) => `f${String(index).padStart(4, '0')}`);
    const files = Object.fromEntries(names.map((name) => [name, 'x\n']));
    const { path, response } = await openPull(forge, owner, { files });
    assert.deepEqual([response.body.changed_files, response.body.additions], [3001, 3001]);
    const last = await owner.get(`${path}/files?per_page=100&page=30`);
    assert.deepEqual(
      last.body.map((file: { filename: string }) => file.filename),
      names.slice(2900, 3000),
    );
    assert.match(last.headers['link'] ?? '', /page=29>; rel="prev", <[^>]*page=1>; rel="first"$/);
    const beyond = await owner.get(`${path}/files?per_page=100&page=31`);
    assert.deepEqual(beyond.body, []);
  });
});
