import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { systemRandom } from '#platform/random.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { openServiceKey } from '../keys/service-key.ts';
import type { Credentials } from '../signing/signature-verifier.ts';
import {
  accessKeysOf,
  createAccessKey,
  deleteAccessKey,
  keepChosenAccessKey,
  type AccessKeyPorts,
} from './administer-access-keys.ts';
import { createCredentials } from './find-credential.ts';
import { createSessionTokens, type SessionTokens } from './session-tokens.ts';

const accountId = '123456789012';
const roleArn = 'arn:aws:iam::123456789012:role/service/worker';

describe('access keys', () => {
  let folder = '';
  let database: Database;
  let ports: AccessKeyPorts;
  let sessionTokens: SessionTokens;
  let credentials: Credentials;
  const now = Date.UTC(2026, 0, 1);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-access-keys-'));
    database = await openTestDatabase();
    const stands = { database, clock: { now: () => now }, random: systemRandom };
    ports = { ...stands, serviceKey: await openServiceKey({ ...stands, folder }) };
    sessionTokens = createSessionTokens(ports);
    credentials = createCredentials({ ...ports, sessionTokens, accountId });
  });
  after(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  async function user(login: string, siteAdmin = 0): Promise<number> {
    const row = await database.write(async (sql) => {
      await sql.run(
        `insert into accounts (kind, login, login_key, site_admin, created_at, updated_at)
         values ('user', $1, $2, $3, 0, 0)`,
        login,
        login.toLowerCase(),
        siteAdmin,
      );
      return sql.get<{ id: number }>('select id from accounts where login = $1', login);
    });
    return row?.id ?? assert.fail();
  }

  it('are not found under ids that no one has, with a token, or once deleted', async () => {
    const { accessKeyId } = await createAccessKey(ports, await user('grace'));
    assert.equal(await credentials.find('AKIAAAAAAAAAAAAAAAAA', undefined), undefined);
    assert.equal(await credentials.find(accessKeyId.toLowerCase(), undefined), undefined);
    assert.equal(await credentials.find(accessKeyId, 'token'), undefined);
    assert.ok(await credentials.find(accessKeyId, undefined));
    await deleteAccessKey(ports, accessKeyId);
    assert.equal(await credentials.find(accessKeyId, undefined), undefined);
    await assert.rejects(deleteAccessKey(ports, accessKeyId), OperatorError);
  });

  it('go with their user', async () => {
    const id = await user('gone');
    const { accessKeyId } = await createAccessKey(ports, id);
    await database.write((sql) => sql.run('delete from accounts where id = $1', id));
    assert.equal(await credentials.find(accessKeyId, undefined), undefined);
  });

  it('are refused while their user is suspended, whose keys administrators still see', async () => {
    const id = await user('left');
    const { accessKeyId } = await createAccessKey(ports, id);
    const suspend = (at: number | null): Promise<number> =>
      database.write((sql) =>
        sql.run('update accounts set suspended_at = $1 where id = $2', at, id),
      );
    assert.ok(await credentials.find(accessKeyId, undefined));
    await suspend(now);
    assert.equal(await credentials.find(accessKeyId, undefined), undefined);
    assert.equal((await accessKeysOf(ports, id)).length, 1);
    await suspend(null);
    assert.ok(await credentials.find(accessKeyId, undefined));
  });

  it('are shaped as clients expect, and act for their user', async () => {
    const id = await user('Ada');
    const pair = await createAccessKey(ports, id);
    assert.match(pair.accessKeyId, /^AKIA[A-Z2-7]{16}$/);
    assert.match(pair.secretAccessKey, /^[A-Za-z0-9+/]{40}$/);
    const found = await credentials.find(pair.accessKeyId, undefined);
    assert.equal(found?.secret(), pair.secretAccessKey);
    assert.match(found.principal.userId ?? '', /^AIDA[A-Z2-7]{17}$/);
    assert.deepEqual(found.principal, {
      kind: 'user',
      accessKeyId: pair.accessKeyId,
      accountId,
      arn: 'arn:aws:iam::123456789012:user/Ada',
      userId: found.principal.userId,
      forgeUserId: id,
    });
    const second = await createAccessKey(ports, id);
    const ids = (await accessKeysOf(ports, id)).map(({ accessKeyId }) => accessKeyId);
    assert.deepEqual(ids.toSorted(), [pair.accessKeyId, second.accessKeyId].toSorted());
  });

  it('are readable in the database by the service key only, each in its own row', async () => {
    const id = await user('eve');
    const mine = await createAccessKey(ports, id);
    const other = await createAccessKey(ports, id);
    const rows = await database.read((sql) => sql.all('select * from function_access_keys'));
    assert.ok(!JSON.stringify(rows).includes(mine.secretAccessKey));
    await database.write((sql) =>
      sql.run(
        `update function_access_keys set sealed_secret =
         (select sealed_secret from function_access_keys where access_key_id = $1) where access_key_id = $2`,
        mine.accessKeyId,
        other.accessKeyId,
      ),
    );
    const moved = await credentials.find(other.accessKeyId, undefined);
    assert.throws(() => moved?.secret(), /Cannot decrypt/);
  });

  it('chosen by the operator are the administrator’s, and once deleted stay so', async () => {
    const chosen = { accessKeyId: 'test', secretAccessKey: 'chosen secret' };
    await assert.rejects(keepChosenAccessKey(ports, chosen), OperatorError);
    await user('root', 1);
    assert.equal(await keepChosenAccessKey(ports, chosen), 'made');
    const other = { ...chosen, secretAccessKey: 'another secret' };
    assert.equal(await keepChosenAccessKey(ports, other), 'known');
    const found = await credentials.find('test', undefined);
    assert.equal(found?.principal.arn, 'arn:aws:iam::123456789012:user/root');
    assert.equal(found.secret(), 'chosen secret');
    await deleteAccessKey(ports, 'test');
    assert.equal(await keepChosenAccessKey(ports, chosen), 'known');
    assert.equal(await credentials.find('test', undefined), undefined);
  });

  it('of sessions are found with their own token only', async () => {
    const mine = sessionTokens.issue(roleArn, 'f', 60);
    const other = sessionTokens.issue(roleArn, 'f', 60);
    assert.match(mine.accessKeyId, /^ASIA[A-Z2-7]{16}$/);
    assert.equal(await credentials.find(mine.accessKeyId, undefined), undefined);
    assert.equal(await credentials.find(mine.accessKeyId, other.sessionToken), undefined);
    assert.equal(await credentials.find(mine.accessKeyId, ''), undefined);
    assert.equal(await credentials.find(mine.accessKeyId, 'x'.repeat(100_000)), undefined);
    const found = await credentials.find(mine.accessKeyId, mine.sessionToken);
    assert.equal(found?.secret(), mine.secretAccessKey);
    assert.equal(found.expiresAt, now + 60_000);
    assert.match(found.principal.userId ?? '', /^AROA[A-Z2-7]{17}:f$/);
    assert.deepEqual(found.principal, {
      kind: 'role',
      userId: found.principal.userId,
      accessKeyId: mine.accessKeyId,
      accountId,
      arn: 'arn:aws:sts::123456789012:assumed-role/worker/f',
    });
  });
});
