import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { inTemporaryFolder } from '#functions/code/testing/temporary-folder.ts';
import { systemClock } from '#platform/clock.ts';
import { openDatabase } from '#platform/database/open-database.ts';
import { createLog } from '#platform/log.ts';

import { migrationsFolder } from '../../program-files.ts';
import { makeBackup } from './make-backup.ts';
import { contentsFile, manifestFile } from './manifest.ts';
import { restoreBackup } from './restore-backup.ts';

const progress = { step() {}, at() {}, end() {} };

/** Backs up an empty server whose data folder has what `prepare` puts there. */
async function backedUp(
  folder: string,
  prepare: (data: string) => Promise<void>,
): Promise<{ readonly backup: string }> {
  const data = join(folder, 'data');
  await mkdir(join(data, 'functions'), { recursive: true });
  await writeFile(join(data, 'lock'), '');
  await prepare(data);
  const file = join(data, 'hob.sqlite');
  await (await openDatabase(file, { migrationsFolder, log: createLog('silent') })).close();
  const backup = join(folder, 'backup');
  const options = { data, target: backup, database: file, code: undefined, programVersion: '1' };
  await makeBackup(options, systemClock, progress);
  return { backup };
}

/** Changes the list of contents, and the manifest with it. */
async function forge(
  backup: string,
  change: (entries: Record<string, unknown>[]) => Record<string, unknown>[],
): Promise<void> {
  const list = join(backup, contentsFile);
  const lines = (await readFile(list, 'utf8')).trimEnd().split('\n');
  const entries = change(lines.map((line): Record<string, unknown> => JSON.parse(line)));
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  await writeFile(list, text);
  const manifest = JSON.parse(await readFile(join(backup, manifestFile), 'utf8'));
  const contentsSha256 = createHash('sha256').update(text).digest('hex');
  await writeFile(join(backup, manifestFile), JSON.stringify({ ...manifest, contentsSha256 }));
}

/** Changes the manifest alone. */
async function forgeManifest(backup: string, fields: Record<string, unknown>): Promise<void> {
  const path = join(backup, manifestFile);
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...manifest, ...fields }));
}

async function restored(folder: string, backup: string): Promise<string> {
  const data = join(folder, 'restored');
  const options = { backup, data, database: undefined, verify: false, migrationsFolder };
  await restoreBackup(options, progress);
  return data;
}

describe('a forged backup', () => {
  it('writes nothing through a link of its own', () =>
    inTemporaryFolder(async (folder) => {
      const outside = join(folder, 'outside');
      await mkdir(outside);
      const { backup } = await backedUp(folder, async (data) => {
        await mkdir(join(data, 'way'));
        await writeFile(join(data, 'way', 'planted'), 'x');
      });
      await forge(backup, (entries) => [
        ...entries.filter(({ path }) => path === 'data'),
        { type: 'link', path: 'data/way', target: outside, uid: 0, gid: 0, mtime: 0 },
        ...entries.filter(({ path }) => path !== 'data' && path !== 'data/way'),
      ]);
      await assert.rejects(restored(folder, backup), /invalid line/);
      assert.deepEqual(await readdir(outside), []);
    }));

  const damaged: readonly (readonly [problem: string, fields: Record<string, unknown>])[] = [
    ['a time that controls the terminal', { frozenAt: '\u001B]0;planted\u0007' }],
    [
      'rows in a file outside of it',
      {
        database: {
          engine: 'postgres',
          tables: [{ name: 'accounts', columns: ['login'], file: '../../../etc/passwd' }],
          sequences: {},
        },
      },
    ],
  ];
  for (const [problem, fields] of damaged) {
    it(`with ${problem} is refused`, () =>
      inTemporaryFolder(async (folder) => {
        const { backup } = await backedUp(folder, async () => {});
        await forgeManifest(backup, fields);
        await assert.rejects(restored(folder, backup), /is damaged, or not the manifest/);
      }));
  }
});

describe('a backup with a link', () => {
  it('is restored with it', () =>
    inTemporaryFolder(async (folder) => {
      const { backup } = await backedUp(folder, (data) => symlink('/nowhere', join(data, 'link')));
      assert.ok((await readdir(await restored(folder, backup))).includes('link'));
    }));
});

describe('a restore to its own backup folder', () => {
  it('is refused, also through a link, and changes nothing there', () =>
    inTemporaryFolder(async (folder) => {
      const { backup } = await backedUp(folder, async () => {});
      const before = await readdir(backup, { recursive: true });
      await symlink(backup, join(folder, 'link'));
      for (const data of [join(backup, 'restored'), join(folder, 'link', 'data', 'new')]) {
        const options = { backup, data, database: undefined, verify: false, migrationsFolder };
        await assert.rejects(
          restoreBackup(options, progress),
          /cannot be inside the backup folder/,
        );
      }
      assert.deepEqual(await readdir(backup, { recursive: true }), before);
    }));
});
