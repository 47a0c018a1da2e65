import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('labels', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  test('labels are made by who may push, and a private repository hides them', async () => {
    const name = await forge.repository(owner);
    assert.equal((await outsider.post(`/repos/${name}/labels`, { name: 'bug' })).status, 404);
    const anonymous = await forge.anonymous.post(`/repos/${name}/labels`, { name: 'bug' });
    assert.ok([401, 404].includes(anonymous.status));
    assert.deepEqual((await forge.anonymous.get(`/repos/${name}/labels`)).body, []);
    const hidden = await forge.repository(owner, { private: true });
    assert.equal((await outsider.get(`/repos/${hidden}/labels`)).status, 404);
  });

  test('a label needs a name and six hexadecimal digits', async () => {
    const name = await forge.repository(owner);
    const post = (body: unknown): ReturnType<TestUser['post']> =>
      owner.post(`/repos/${name}/labels`, body);
    assert.match((await post({})).body.errors[0].message, /"name" wasn't supplied\./);
    assert.match((await post({ name: 5 })).body.errors[0].message, /is not a string\./);
    assert.deepEqual((await post({ name: ' ' })).body.errors, [
      { resource: 'Label', code: 'missing_field', field: 'name' },
    ]);
    assert.deepEqual((await post({ name: 'bug', color: '#f00000' })).body.errors, [
      { resource: 'Label', code: 'invalid', field: 'color' },
    ]);
    assert.equal((await post({ name: 'x'.repeat(51) })).status, 422);
    assert.equal((await post({ name: 'x', description: 'x'.repeat(101) })).status, 422);
    assert.deepEqual((await owner.get(`/repos/${name}/labels`)).body, []);
  });

  test('a name is taken whatever its case', async () => {
    const name = await forge.repository(owner);
    await owner.post(`/repos/${name}/labels`, { name: 'Bug' });
    const taken = await owner.post(`/repos/${name}/labels`, { name: 'bUG' });
    assert.equal(taken.status, 422);
    assert.deepEqual(taken.body.errors, [
      { resource: 'Label', code: 'already_exists', field: 'name' },
    ]);
    await owner.post(`/repos/${name}/labels`, { name: 'other' });
    const renamed = await owner.patch(`/repos/${name}/labels/other`, { new_name: 'BUG' });
    assert.equal(renamed.body.errors[0].code, 'already_exists');
  });

  test('a label is made, read by any case, changed and deleted', async () => {
    const name = await forge.repository(owner);
    const newLabel = await owner.post(`/repos/${name}/labels`, {
      name: 'good first: ü/1',
      color: 'F29513',
      description: 'Small',
    });
    assert.equal(newLabel.status, 201, newLabel.text);
    assert.equal(newLabel.headers['location'], newLabel.body.url);
    assert.equal(newLabel.body.color, 'f29513');
    const path = newLabel.body.url.replace('http://forge.test', '');
    const read = await owner.get(path);
    assert.equal(read.headers['x-accepted-oauth-scopes'], 'repo');
    assert.deepEqual(read.body, newLabel.body);
    const changed = await owner.patch(path, { new_name: 'Easy', description: null });
    assert.deepEqual(
      [changed.body.name, changed.body.color, changed.body.description, changed.body.id],
      ['Easy', 'f29513', null, newLabel.body.id],
    );
    assert.equal((await owner.get(path)).status, 404);
    assert.equal((await owner.get(`/repos/${name}/labels/easy`)).body.id, newLabel.body.id);
    assert.equal((await owner.delete(`/repos/${name}/labels/EASY`)).status, 204);
    assert.equal((await owner.delete(`/repos/${name}/labels/EASY`)).status, 404);
  });

  test('labels come by name, page by page', async () => {
    const name = await forge.repository(owner);
    for (const label of ['b', 'C', 'a']) await owner.post(`/repos/${name}/labels`, { name: label });
    const page = await owner.get(`/repos/${name}/labels?per_page=2`);
    assert.deepEqual(
      page.body.map((label: { name: string }) => label.name),
      ['a', 'b'],
    );
    assert.match(page.headers['link'] ?? '', /rel="next"/);
  });
});
