import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { writeAccounts } from '../events/invalidate.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { changeProfile } from './account-store.ts';

describe('profiles', () => {
  let forge: TestForge;
  let ada: TestUser;
  let grace: TestUser;

  before(async () => {
    forge = await startTestForge();
    ada = await forge.user('ada');
    grace = await forge.user('grace');
    await forge.organization(ada, 'acme');
    await ada.put('/orgs/acme/memberships/grace');
  });
  after(() => forge.close());

  test('are refused whole for what is wrong in one field', async () => {
    const unchanged = (await ada.get('/user')).body;
    const wrong: readonly (readonly [Record<string, unknown>, string, string])[] = [
      [{ bio: 'x'.repeat(161) }, 'bio', 'is too long (maximum is 160 characters)'],
      [{ bio: 'a\u0007b' }, 'bio', 'must be printable text'],
      [{ name: '<ada>' }, 'name', 'name must be 1 to 255 printable characters without < and >'],
      [
        { company: 'a\nb', location: 'London' },
        'company',
        'company must be at most 255 printable characters',
      ],
      [
        { email: 'other@example.org' },
        'email',
        'email must be one of your addresses: add it with POST /user/emails first',
      ],
    ];
    for (const [body, field, message] of wrong) {
      const { status, body: refusal } = await ada.patch('/user', body);
      assert.equal(status, 422);
      assert.deepEqual(refusal.errors, [{ resource: 'User', field, code: 'custom', message }]);
    }
    assert.equal((await ada.patch('/user', { bio: 1 })).status, 422);
    assert.equal((await forge.anonymous.patch('/user', { bio: 'x' })).status, 401);
    assert.deepEqual((await ada.get('/user')).body, unchanged);
  });

  test('of users change in the fields that are given, and empty ones become null', async () => {
    const { body: own } = await ada.get('/user');
    const given = {
      name: 'Ada Lovelace',
      company: '@acme',
      blog: 'https://ada.example.org',
      location: 'London',
      bio: 'Analytical\nengines',
      email: own.email,
    };
    forge.clock.advance(1000);
    const edited = await ada.patch('/user', given);
    assert.equal(edited.status, 200, edited.text);
    assert.deepEqual(edited.body, (await ada.get('/user')).body);
    const { body } = await grace.get('/users/ada');
    for (const [field, value] of Object.entries(given)) assert.equal(body[field], value, field);
    assert.notEqual(body.updated_at, own.updated_at);
    const emptied = await ada.patch('/user', { company: '', location: null, blog: ' ' });
    assert.deepEqual(
      [emptied.body.company, emptied.body.location, emptied.body.blog, emptied.body.name],
      [null, null, '', 'Ada Lovelace'],
    );
  });

  test('of organizations are for their owners', async () => {
    const refused = await grace.patch('/orgs/acme', { description: 'x' });
    assert.equal(refused.status, 403);
    assert.equal((await ada.patch('/orgs/none', { description: 'x' })).status, 404);
    assert.equal((await ada.patch('/orgs/ada', { description: 'x' })).status, 404);
    const wrong = await ada.patch('/orgs/acme', { email: 'nowhere' });
    assert.equal(wrong.status, 422);
    const given = { name: 'Acme', description: 'Tools', email: 'tools@acme.example' };
    const edited = await ada.patch('/orgs/acme', given);
    assert.equal(edited.status, 200, edited.text);
    const { body } = await grace.get('/orgs/acme');
    for (const [field, value] of Object.entries(given)) assert.equal(body[field], value, field);
  });

  test('change also where another field would be refused today', async () => {
    const older = { name: 'a\u0007b', company: 'x'.repeat(256), bio: 'y'.repeat(161) };
    await writeAccounts(forge.database, (sql) =>
      changeProfile(sql, { ...grace.account, ...older }),
    );
    const edited = await grace.patch('/user', { location: 'Arlington' });
    assert.equal(edited.status, 200, edited.text);
    assert.deepEqual([edited.body.location, edited.body.name], ['Arlington', older.name]);
    assert.equal((await grace.patch('/user', { name: `${older.name}c` })).status, 422);
  });
});
