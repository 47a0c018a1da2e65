import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { systemRandom } from '#platform/random.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { createKey, deleteKey, disableKey, enableKey, keysOf } from './administer-keys.ts';
import { keyArn, keyState, decryptionErrorMessage, encryptionErrorMessage } from './key.ts';
import { createKeyRing, type KeyRing, type KeyRingPorts } from './key-ring.ts';
import { openServiceKey } from './service-key.ts';

const accountRegion = { region: 'us-east-1', accountId: '123456789012' };
const day = 24 * 60 * 60_000;
const plain = Buffer.from('{"A":"1"}');

describe('the key ring', () => {
  let folder = '';
  let database: Database;
  let now = Date.UTC(2026, 0, 1);
  let ports: KeyRingPorts;
  let ring: KeyRing;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-key-ring-'));
    database = await openTestDatabase();
    const stands = { database, clock: { now: () => now }, random: systemRandom };
    ports = { ...stands, accountRegion, serviceKey: await openServiceKey({ ...stands, folder }) };
    ring = createKeyRing(ports);
  });
  after(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  async function newKey(): Promise<string> {
    return keyArn(accountRegion, (await createKey(ports, '')).id);
  }

  async function encrypted(arn?: string): Promise<string> {
    const result = await ring.encrypt(plain, arn, 'f');
    return result.kind === 'encrypted' ? result.sealed : assert.fail(result.message);
  }

  async function opened(sealed: string, context = 'f'): Promise<string> {
    const result = await ring.decrypt(sealed, context);
    return result.kind === 'decrypted' ? Buffer.from(result.plain).toString() : result.code;
  }

  it('refuses keys that it does not have', async () => {
    const absent = keyArn(accountRegion, 'e0f1d2c3-0000-4000-8000-000000000000');
    const refused = await ring.encrypt(plain, absent, 'f');
    assert.ok(refused.kind === 'refused');
    assert.equal(
      encryptionErrorMessage(refused),
      `Lambda was unable to configure access to your environment variables because the KMS key is invalid for CreateGrant. Please check your KMS key settings. KMS Exception: NotFoundException KMS Message: Key '${absent}' does not exist`,
    );
    for (const foreign of [
      'arn:aws:kms:us-east-1:000000000000:key/a',
      'arn:aws:kms:eu-west-3:123456789012:key/a',
      'arn:aws:s3:::bucket',
      '',
    ]) {
      const other = await ring.encrypt(plain, foreign, 'f');
      assert.equal(other.kind === 'refused' && other.code, 'KMSKeyAccessDenied', foreign);
    }
  });

  it('opens nothing for another function, nothing changed and nothing of another key', async () => {
    const [arn, other] = [await newKey(), await newKey()];
    for (const sealed of [await encrypted(arn), await encrypted()]) {
      assert.equal(await opened(sealed, 'g'), 'KMSKeyAccessDenied');
      assert.equal(await opened(`${sealed.slice(0, -4)}AAAA`), 'KMSKeyAccessDenied');
      assert.equal(await opened(sealed), plain.toString());
    }
    const [, text = ''] = (await encrypted(arn)).split('.');
    assert.equal(await opened(`${other.split('/')[1]}.${text}`), 'KMSKeyAccessDenied');
    assert.equal(await opened(`service.${text}`), 'KMSKeyAccessDenied');
    assert.equal(await opened(text), 'KMSKeyNotFound');
    assert.equal(await opened(''), 'KMSKeyNotFound');
  });

  it('uses no disabled key, neither to encrypt nor to decrypt, until it is enabled', async () => {
    const arn = await newKey();
    const sealed = await encrypted(arn);
    await disableKey(ports, arn);
    assert.equal(await opened(sealed), 'DisabledKMSKey');
    const refused = await ring.encrypt(plain, arn, 'f');
    assert.ok(refused.kind === 'refused');
    assert.equal(
      decryptionErrorMessage(refused),
      `Lambda was unable to decrypt the environment variables because the KMS key used is disabled. Please check the function's KMS key settings. KMS Exception: DisabledException KMS Message: ${arn} is disabled.`,
    );
    await enableKey(ports, arn);
    assert.equal(await opened(sealed), plain.toString());
  });

  it('gives a deleted key back within the wait, and never after it', async () => {
    const arn = await newKey();
    const sealed = await encrypted(arn);
    const pending = await deleteKey(ports, arn, 'after the wait');
    assert.equal(keyState(pending), 'pending deletion');
    assert.equal(pending.deletionAt, now + 7 * day);
    assert.equal(await opened(sealed), 'InvalidStateKMSKey');
    now += 7 * day - 1;
    await enableKey(ports, arn);
    assert.equal(await opened(sealed), plain.toString());
    await deleteKey(ports, arn, 'after the wait');
    now += 7 * day;
    assert.equal(await opened(sealed), 'KMSKeyNotFound');
    await assert.rejects(enableKey(ports, arn), OperatorError);
  });

  it('destroys a key immediately on request', async () => {
    const arn = await newKey();
    const sealed = await encrypted(arn);
    await deleteKey(ports, arn, 'now');
    assert.equal(await opened(sealed), 'KMSKeyNotFound');
    const rows = await database.read((sql) => sql.all('select id from function_keys'));
    assert.ok(!rows.some((row) => arn.endsWith(String(row['id']))));
    assert.ok(!(await keysOf(ports)).some((key) => arn.endsWith(key.id)));
  });

  it('keeps no key and no secret readable in the database', async () => {
    await encrypted(await newKey());
    const rows = await database.read((sql) => sql.all('select sealed_material from function_keys'));
    for (const row of rows) {
      const [, sealed = ''] = String(row['sealed_material']).split('.');
      assert.equal(Buffer.from(sealed, 'base64url').length, 12 + 32 + 16);
    }
  });
});
