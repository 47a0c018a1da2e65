import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';

import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { systemRandom } from '#platform/random.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { openServiceKey, type ServiceKey } from './service-key.ts';

describe('the service key', () => {
  let parent = '';
  let folder = '';
  let path = '';
  let database: Database;
  let count = 0;

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'hob-service-key-'));
  });
  beforeEach(async () => {
    folder = join(parent, String((count += 1)));
    path = join(folder, 'service-key');
    await database?.close();
    database = await openTestDatabase();
  });
  after(async () => {
    await database.close();
    await rm(parent, { recursive: true });
  });

  const open = (): Promise<ServiceKey> =>
    openServiceKey({ database, clock: systemClock, random: systemRandom, folder });

  async function assertRefused(message: RegExp): Promise<void> {
    await assert.rejects(open(), (error) => {
      assert.ok(error instanceof OperatorError, String(error));
      assert.match(error.message, message);
      return true;
    });
  }

  it('is not replaced when it is lost', async () => {
    await open();
    await rm(path);
    await assertRefused(
      /service-key is missing, but the database contains secrets encrypted with it\./,
    );
    assert.deepEqual(await readdir(folder), []);
  });

  it('is refused when it is another one, damaged, or open to others', async () => {
    await open();
    const text = await readFile(path, 'utf8');
    await writeFile(path, `${Buffer.alloc(32).toString('base64url')}\n`);
    await assertRefused(/is not the key that encrypts the secrets of this database/);
    for (const damaged of ['', text.slice(1), `${text}x`, 'not a key']) {
      await writeFile(path, damaged);
      await assertRefused(/is damaged/);
    }
    await writeFile(path, text);
    await chmod(path, 0o640);
    await assertRefused(/Other users can read the service key .*chmod 600/);
    await chmod(path, 0o600);
    await open();
  });

  it('opens only what it sealed, for the same context, unchanged', async () => {
    const key = await open();
    const sealed = key.seal(Buffer.from('secret'), 'a');
    assert.equal(key.unseal(sealed, 'b'), undefined);
    assert.equal(key.unseal('', 'a'), undefined);
    assert.equal(key.unseal(sealed.slice(0, 20), 'a'), undefined);
    const bytes = Buffer.from(sealed, 'base64url');
    for (const index of [0, 12, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.equal(key.unseal(changed.toString('base64url'), 'a'), undefined);
    }
    assert.equal(key.unseal(sealed, 'a')?.toString(), 'secret');
    assert.notEqual(key.seal(Buffer.from('secret'), 'a'), sealed);
  });

  it('is one and the same for all that start at once, and for its owner only', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, open));
    const sealed = keys[0]?.seal(Buffer.from('secret'), 'a') ?? '';
    for (const key of [...keys, await open()]) {
      assert.equal(key.unseal(sealed, 'a')?.toString(), 'secret');
    }
    assert.deepEqual(await readdir(folder), ['service-key']);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  });
});
