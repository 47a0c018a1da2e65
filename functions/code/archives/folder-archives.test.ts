import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';

import { createLog } from '#platform/log.ts';

import { type CodeFiles, openCodeFiles } from '../code-files.ts';
import { inTemporaryFolder, listed } from '../testing/temporary-folder.ts';
import { zipOf } from '../testing/zip-of.ts';
import { openFolderArchives } from './folder-archives.ts';
import type { SharedArchives } from './shared-archives.ts';
import { type MovePorts, takeArchives } from './take-archives.ts';

const archive = zipOf({ 'index.js': 'exports' });
const sha256 = createHash('sha256').update(archive).digest('hex');
const hour = 3600;

interface Setup {
  readonly shared: SharedArchives;
  /** What moves archives there, none of which is used. */
  readonly moving: MovePorts;
  readonly sharedRoot: string;
  /** The code files of a server. */
  readonly of: (server: string) => Promise<CodeFiles>;
  /** As if the archive had been added so many seconds ago. */
  readonly age: (seconds: number) => Promise<void>;
  readonly folder: string;
}

function withServers(work: (setup: Setup) => Promise<void>): Promise<void> {
  return inTemporaryFolder(async (folder) => {
    const sharedRoot = join(folder, 'shared');
    const shared = await openFolderArchives(sharedRoot);
    await work({
      shared,
      moving: { shared, named: none, log: createLog('silent') },
      sharedRoot,
      folder,
      of: async (server) =>
        openCodeFiles(join(folder, server), { shared: await openFolderArchives(sharedRoot) }),
      async age(seconds) {
        const then = Date.now() / 1000 - seconds;
        await utimes(join(sharedRoot, `${sha256}.zip`), then, then);
      },
    });
  });
}

const none = async (): Promise<ReadonlySet<string>> => new Set();

describe('archives that servers share', () => {
  it('are unpacked by each server that runs them', async () => {
    await withServers(async ({ of, folder }) => {
      const [one, two] = [await of('one'), await of('two')];
      await one.take(archive, async (code) => assert.equal(code.sha256, sha256));
      assert.deepEqual(await readdir(join(folder, 'two')), []);
      assert.deepEqual(await listed(await two.tree(sha256)), { 'index.js': 'exports' });
      assert.deepEqual(await buffer(await two.openArchive(sha256)), archive);
      await rm(join(folder, 'one', sha256), { recursive: true });
      assert.deepEqual(await listed(await one.tree(sha256)), { 'index.js': 'exports' });
      await assert.rejects(two.tree('0'.repeat(64)), { code: 'ENOENT' });
    });
  });

  it('are there before the row that names them', async () => {
    await withServers(async ({ of, sharedRoot }) => {
      await (
        await of('one')
      ).take(archive, async () => {
        assert.deepEqual(await readFile(join(sharedRoot, `${sha256}.zip`)), archive);
      });
    });
  });

  it('that cannot be unpacked are not shared', async () => {
    await withServers(async ({ of, sharedRoot }) => {
      await assert.rejects((await of('one')).take(Buffer.from('no zip'), async () => {}));
      assert.deepEqual(await readdir(sharedRoot), []);
    });
  });

  it('are those too that a server had when it was the only one', async () => {
    await withServers(async ({ of, moving, sharedRoot, folder }) => {
      const alone = await openCodeFiles(join(folder, 'one'));
      await alone.take(archive, async () => {});
      const two = await of('two');
      await takeArchives(moving, join(folder, 'one'));
      assert.deepEqual(await readFile(join(sharedRoot, `${sha256}.zip`)), archive);
      assert.deepEqual(await listed(await two.tree(sha256)), { 'index.js': 'exports' });
    });
  });

  it('are moved once out of a code folder that several servers find as they start', async () => {
    await withServers(async ({ moving, sharedRoot, folder }) => {
      const code = join(folder, 'code');
      await (await openCodeFiles(code)).take(archive, async () => {});
      // What a server leaves that is killed during an upload.
      await mkdir(join(code, 'new-AbC123'));
      await writeFile(join(code, 'new-AbC123', 'archive.zip'), 'part');
      const other = await openFolderArchives(sharedRoot);
      const movingToo = { ...moving, shared: other };
      await Promise.all([takeArchives(moving, code), takeArchives(movingToo, code)]);
      assert.deepEqual(await readFile(join(sharedRoot, `${sha256}.zip`)), archive);
      assert.deepEqual(await readdir(sharedRoot), [`${sha256}.zip`]);
      assert.deepEqual(await readdir(join(code, sha256)), ['tree', 'unzipped-size']);
      await takeArchives(moving, join(folder, 'nothing'));
    });
  });

  it('are removed when no row names them, unless one was added within the hour', async () => {
    await withServers(async ({ of, sharedRoot, age }) => {
      const one = await of('one');
      await one.take(archive, async () => {});
      await age(2 * hour);
      assert.equal(await one.pruneShared(async (found) => new Set(found)), 0);
      // Another server adds it after the rows were read.
      const added = async (): Promise<ReadonlySet<string>> => {
        await (await of('two')).take(archive, async () => {});
        return none();
      };
      assert.equal(await one.pruneShared(added), 0);
      assert.deepEqual(await readFile(join(sharedRoot, `${sha256}.zip`)), archive);
      await age(2 * hour);
      assert.equal(await one.pruneShared(none), 1);
      assert.deepEqual(await readdir(sharedRoot), []);
    });
  });

  it('leave nothing of a server that was killed', async () => {
    await withServers(async ({ shared, sharedRoot }) => {
      const [left, busy] = [join(sharedRoot, 'new-left'), join(sharedRoot, 'new-busy')];
      for (const folder of [left, busy]) await mkdir(folder);
      await writeFile(join(left, 'archive'), 'part');
      const then = Date.now() / 1000 - 2 * hour;
      await utimes(left, then, then);
      await shared.prune(none);
      assert.deepEqual(await readdir(sharedRoot), ['new-busy']);
    });
  });
});
