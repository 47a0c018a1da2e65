import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Database } from '#platform/database/database.ts';
import { systemRandom } from '#platform/random.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { createApplication } from '../auth/create-application.ts';
import { createToken } from '../auth/create-token.ts';
import { findApplication, findTokenOwner } from '../auth/credential-store.ts';
import { sha256 } from '../auth/token.ts';
import { RefusalError } from '../errors/api-error.ts';
import { refusalSentence } from '../errors/error-message.ts';
import { findAccount, listUsers, memberRole, passwordHash } from './account-store.ts';
import { addMember } from './membership.ts';
import type { AdministrationPorts } from '../ports/ports.ts';
import { createOrganization } from './create-organization.ts';
import { createUser } from './create-user.ts';
import { firstStart } from '../auth/bootstrap-administrator.ts';

describe('administration of accounts', () => {
  let database: Database;
  let ports: AdministrationPorts;

  before(async () => {
    database = await openTestDatabase();
    ports = {
      database,
      clock: { now: () => Date.UTC(2026, 0, 5) },
      passwords: {
        hash: async (password) => `hash of ${password}`,
        verify: async (password, hash) => hash === `hash of ${password}`,
      },
      randomBytes: (count) => systemRandom.bytes(count),
    };
  });
  after(() => database.close());

  async function refusalOf(work: Promise<unknown>): Promise<string> {
    try {
      await work;
    } catch (error) {
      if (error instanceof RefusalError) return refusalSentence(error.refusal);
      throw error;
    }
    return 'not refused';
  }

  test('the first start refuses credentials that could not be used', async () => {
    assert.match(await refusalOf(firstStart(ports, { login: 'a b' })), /^login must be 1 to 39/);
    assert.match(await refusalOf(firstStart(ports, { password: '' })), /^password must have/);
    assert.match(await refusalOf(firstStart(ports, { token: 'two words' })), /^token must be/);
    assert.match(
      await refusalOf(firstStart(ports, { token: 'a-token:of-colons' })),
      /^token must be/,
    );
    assert.match(
      await refusalOf(firstStart(ports, { token: 'x'.repeat(15) })),
      /^token must be 16 to 255 .* HOB_ADMIN_TOKEN has 15 /,
    );
  });

  test('the first start makes one site administrator, whose credentials work; later starts make nothing', async () => {
    const [first, second] = await Promise.all([firstStart(ports), firstStart(ports)]);
    const credentials = first ?? second;
    assert.ok(credentials && (first === undefined) !== (second === undefined));
    assert.equal(credentials.login, 'root');
    assert.match(credentials.token, /^hob_[0-9A-Za-z]{49}$/);
    const owner = await database.read((sql) =>
      findTokenOwner(sql, sha256(credentials.token), ports.clock.now()),
    );
    assert.equal(owner?.account.login, 'root');
    assert.equal(owner.account.siteAdmin, true);
    assert.ok(owner.scopes.includes('site_admin') && owner.scopes.includes('repo'));
    const hash = await database.read((sql) => passwordHash(sql, owner.account.id));
    assert.equal(await ports.passwords.verify(credentials.password, hash), true);
    assert.equal(await firstStart(ports, { login: 'other', password: 'x', token: 'y' }), undefined);
    assert.deepEqual(
      (await database.read(listUsers)).map((user) => user.login),
      ['root'],
    );
  });

  test('a user with a bad login, password, address or name is refused, each with its sentence', async () => {
    const bad = createUser(ports, { login: '-x', password: '', email: 'nobody', name: 'a\nb' });
    const sentence = await refusalOf(bad);
    for (const field of ['login must', 'password must', "email 'nobody' is not", 'name must']) {
      assert.ok(sentence.includes(field), sentence);
    }
  });

  test('a login that the server needs for itself is refused', async () => {
    assert.equal(
      await refusalOf(createUser(ports, { login: 'API' })),
      "login 'API' is reserved: paths of this server begin with it",
    );
  });

  test('a login is taken whatever its case, by users and organizations alike', async () => {
    await createUser(ports, {
      login: 'Ann',
      password: 'p',
      email: 'ann@example.test',
      name: 'Ann A',
    });
    const taken = /is already taken by a user or an organization/;
    assert.match(await refusalOf(createUser(ports, { login: 'aNN' })), taken);
    assert.match(
      await refusalOf(createOrganization(ports, { login: 'ann', ownerLogin: 'Ann' })),
      taken,
    );
  });

  test('an organization with a bad login or name is refused, each with its sentence', async () => {
    for (const name of ['a\0b', '<b>', 'x'.repeat(256)]) {
      const bad = createOrganization(ports, { login: '-x', ownerLogin: 'ann', name });
      const sentence = await refusalOf(bad);
      for (const field of ['login must', 'name must'])
        assert.ok(sentence.includes(field), sentence);
    }
  });

  test('an organization needs an owner who is a user', async () => {
    assert.equal(
      await refusalOf(createOrganization(ports, { login: 'acme', ownerLogin: 'nobody' })),
      "'nobody' does not exist: use the login of a user",
    );
    assert.equal(await database.read((sql) => findAccount(sql, 'acme')), undefined);
  });

  test('members are added by login; the last owner cannot be made less', async () => {
    const acme = await createOrganization(ports, { login: 'acme', ownerLogin: 'ann' });
    const bob = await createUser(ports, { login: 'bob' });
    assert.equal(
      await refusalOf(addMember(ports, { organization: 'bob', login: 'ann', role: 'member' })),
      "'bob' is a user: use the login of an organization",
    );
    assert.equal(
      await refusalOf(addMember(ports, { organization: 'acme', login: 'ann', role: 'member' })),
      'Ann is the last owner of acme: make another member an owner first.',
    );
    await addMember(ports, { organization: 'ACME', login: 'BOB', role: 'admin' });
    await addMember(ports, { organization: 'acme', login: 'ann', role: 'member' });
    assert.equal(await database.read((sql) => memberRole(sql, acme.id, bob.id)), 'admin');
  });

  test('a token with an unknown scope is refused with the list of scopes', async () => {
    const sentence = await refusalOf(createToken(ports, { login: 'ann', scopes: ['repo', 'all'] }));
    assert.match(sentence, /^'all' is not a scope; the scopes are repo, repo:status, /);
  });

  test('a token for an unknown user is refused', async () => {
    assert.equal(
      await refusalOf(createToken(ports, { login: 'nobody', scopes: [] })),
      "'nobody' does not exist: use the login of a user",
    );
    assert.equal(
      await refusalOf(createToken(ports, { login: 'acme', scopes: [] })),
      "'acme' is an organization: use the login of a user",
    );
  });

  test('a token is shown once and stored as a hash; scopes implied by others are dropped', async () => {
    const created = await createToken(ports, {
      login: 'ANN',
      scopes: ['repo:status', 'repo', 'repo', 'user:email'],
      note: 'laptop',
    });
    assert.deepEqual(created.scopes, ['repo', 'user:email']);
    const owner = await database.read((sql) =>
      findTokenOwner(sql, sha256(created.token), ports.clock.now()),
    );
    assert.equal(owner?.account.login, 'Ann');
    assert.deepEqual(owner.scopes, ['repo', 'user:email']);
  });

  test('an application needs a name and gets an id and a secret', async () => {
    assert.match(await refusalOf(createApplication(ports, { name: ' ' })), /^name must have/);
    const created = await createApplication(ports, { name: 'builder' });
    assert.match(created.clientId, /^[0-9a-f]{20}$/);
    const found = await database.read((sql) => findApplication(sql, created.clientId));
    assert.equal(found?.secretSha256, sha256(created.clientSecret));
  });
});
