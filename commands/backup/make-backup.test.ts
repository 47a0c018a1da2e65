import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import type { ArchivesLocation } from '#functions/code/archives/archives-location.ts';
import { findClaim } from '#functions/code/archives/claim-store.ts';
import { recordCode } from '#functions/code/code-store.ts';
import { openArchives } from '#functions/code/open-archives.ts';
import { inTemporaryFolder } from '#functions/code/testing/temporary-folder.ts';
import { systemClock } from '#platform/clock.ts';
import { openDatabase } from '#platform/database/open-database.ts';
import { createLog } from '#platform/log.ts';
import { systemRandom } from '#platform/random.ts';

import { migrationsFolder } from '../../program-files.ts';
import { makeBackup } from './make-backup.ts';

const progress = { step() {}, at() {}, end() {} };
const archive = Buffer.from('an archive');
const sha256 = createHash('sha256').update(archive).digest('hex');

/** A server that had its archives below its data folder, and stores them at HOB_CODE now. */
async function backedUp(folder: string, location: ArchivesLocation): Promise<string[]> {
  const data = join(folder, 'data');
  const own = join(data, 'functions');
  for (const each of [join(own, 'archives'), join(folder, 'store')])
    await mkdir(each, { recursive: true });
  await writeFile(join(data, 'lock'), '');
  await writeFile(join(own, 'archives', `${sha256}.zip`), archive);
  const log = createLog('silent');
  const file = join(data, 'hob.sqlite');
  const database = await openDatabase(file, { migrationsFolder, log });
  try {
    await database.write((sql) => recordCode(sql, { sha256, size: 1, unzippedSize: 1 }, 1));
    const start = { folder: own, sharedFolder: undefined, location };
    const shared = await openArchives({ database, random: systemRandom, log }, start);
    shared?.close();
    assert.equal((await database.read(findClaim))?.isMarked, true);
  } finally {
    await database.close();
  }
  const target = join(folder, 'backup');
  const options = { data, target, database: file, code: location, programVersion: '1' };
  await makeBackup(options, systemClock, progress);
  return readdir(join(target, 'data', 'functions', 'archives'));
}

describe('a backup of a server with a store of code', () => {
  // A restored installation with the key would share the store, and remove the archives of the other.
  const stores = { 'its data folder': 'data/functions/archives', 'a folder of its own': 'store' };
  for (const [where, path] of Object.entries(stores))
    it(`in ${where} has the archives, and not the key of the store`, () =>
      inTemporaryFolder(async (folder) => {
        const store = join(folder, path);
        const archives = await backedUp(folder, { kind: 'folder', folder: store });
        assert.ok((await readdir(store)).includes('hob-code.json'));
        assert.deepEqual(archives, [`${sha256}.zip`]);
      }));
});

describe('a backup to the data directory itself', () => {
  it('is refused, also through a link', () =>
    inTemporaryFolder(async (folder) => {
      const data = join(folder, 'data');
      await mkdir(data);
      await writeFile(join(data, 'lock'), '');
      await symlink(data, join(folder, 'link'));
      const database = join(data, 'hob.sqlite');
      for (const target of [data, join(data, 'backup'), join(folder, 'link', 'backup')]) {
        const options = { data, target, database, code: undefined, programVersion: '1' };
        await assert.rejects(
          makeBackup(options, systemClock, progress),
          /cannot be inside the data directory/,
        );
      }
      assert.deepEqual(await readdir(data), ['lock']);
    }));
});
