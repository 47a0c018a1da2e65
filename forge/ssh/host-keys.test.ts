import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { openHostKeys } from './host-keys.ts';

describe('host keys', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-host-keys-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('are made once, for the owner of the folder only', async () => {
    const path = join(folder, 'ssh');
    const made = await openHostKeys(path);
    assert.deepEqual(
      made.map(({ algorithm }) => algorithm),
      ['ssh-ed25519', 'ecdsa-sha2-nistp256'],
    );
    assert.deepEqual((await readdir(path)).toSorted(), [
      'ssh_host_ecdsa_key',
      'ssh_host_ed25519_key',
    ]);
    for (const name of await readdir(path)) {
      assert.equal((await stat(join(path, name))).mode & 0o777, 0o600);
    }
    assert.equal((await stat(path)).mode & 0o777, 0o700);
    assert.deepEqual(await openHostKeys(path), made);
  });

  test('are completed after a start that was interrupted', async () => {
    const made = await openHostKeys(folder);
    await rm(join(folder, 'ssh_host_ecdsa_key'));
    await writeFile(join(folder, 'ssh_host_ecdsa_key.new'), 'half');
    const [ed25519, ecdsa] = await openHostKeys(folder);
    assert.deepEqual(ed25519, made[0]);
    assert.notEqual(ecdsa?.fingerprint, made[1]?.fingerprint);
  });

  test('are the same for servers that start at once', async () => {
    const made = await Promise.all([openHostKeys(folder), openHostKeys(folder)]);
    assert.deepEqual(made[0], made[1]);
    assert.deepEqual(await openHostKeys(folder), made[0]);
  });

  test('that are damaged are reported, and not replaced', async () => {
    await openHostKeys(folder);
    const path = join(folder, 'ssh_host_ed25519_key');
    await chmod(path, 0o600);
    await writeFile(path, 'x');
    await assert.rejects(openHostKeys(folder), /ssh_host_ed25519_key cannot be read/);
    assert.equal(await readFile(path, 'utf8'), 'x');
  });
});
