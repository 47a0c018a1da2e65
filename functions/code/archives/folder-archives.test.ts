import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmod,
  chown,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

import { createLog } from '#platform/log.ts';

import { type CodeFiles, openCodeFiles } from '../code-files.ts';
import { inTemporaryFolder, listed } from '../testing/temporary-folder.ts';
import { zipOf } from '../testing/zip-of.ts';
import { openFolderArchives } from './folder-archives.ts';
import type { SharedArchives } from './shared-archives.ts';
import { type MovePorts, moveLocalArchives, moveFolderArchives } from './move-archives.ts';

const archive = zipOf({ 'index.js': 'exports' });
const sha256 = createHash('sha256').update(archive).digest('hex');
const hour = 3600;

interface Setup {
  readonly shared: SharedArchives;
  /** What moves the archive there, which is used. */
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
      moving: { shared, referenced: async () => new Set([sha256]), log: createLog('silent') },
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
      await one.ingest(archive, async (code) => assert.equal(code.sha256, sha256));
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
      ).ingest(archive, async () => {
        assert.deepEqual(await readFile(join(sharedRoot, `${sha256}.zip`)), archive);
      });
    });
  });

  it('that cannot be unpacked are not shared', async () => {
    await withServers(async ({ of, sharedRoot }) => {
      await assert.rejects((await of('one')).ingest(Buffer.from('no zip'), async () => {}));
      assert.deepEqual(await readdir(sharedRoot), []);
    });
  });

  it('are those too that a server had when it was the only one', async () => {
    await withServers(async ({ of, moving, sharedRoot, folder }) => {
      const alone = await openCodeFiles(join(folder, 'one'));
      await alone.ingest(archive, async () => {});
      const two = await of('two');
      await moveLocalArchives(moving, join(folder, 'one'));
      assert.deepEqual(await readFile(join(sharedRoot, `${sha256}.zip`)), archive);
      assert.deepEqual(await listed(await two.tree(sha256)), { 'index.js': 'exports' });
    });
  });

  it('are moved once out of a code folder that several servers find as they start', async () => {
    await withServers(async ({ moving, sharedRoot, folder }) => {
      const code = join(folder, 'code');
      await (await openCodeFiles(code)).ingest(archive, async () => {});
      // What a server leaves that is killed during an upload.
      await mkdir(join(code, 'new-AbC123'));
      await writeFile(join(code, 'new-AbC123', 'archive.zip'), 'part');
      const other = await openFolderArchives(sharedRoot);
      const movingToo = { ...moving, shared: other };
      await Promise.all([moveLocalArchives(moving, code), moveLocalArchives(movingToo, code)]);
      assert.deepEqual(await readFile(join(sharedRoot, `${sha256}.zip`)), archive);
      assert.deepEqual(await readdir(sharedRoot), [`${sha256}.zip`]);
      assert.deepEqual(await readdir(join(code, sha256)), ['tree', 'unzipped-size']);
      await moveLocalArchives(moving, join(folder, 'nothing'));
    });
  });

  it('are copied out of a folder where they cannot be removed, which the log says', async () => {
    await withServers(async ({ moving, sharedRoot, folder }) => {
      const before = join(folder, 'before');
      await mkdir(before);
      await writeFile(join(before, `${sha256}.zip`), archive);
      await chmod(before, 0o555);
      const warnings: Record<string, unknown>[] = [];
      const log = createLog('warn', (line) => warnings.push(JSON.parse(line)));
      // The superuser could remove them.
      const isSuperuser = process.getuid?.() === 0;
      const other = 65_534;
      if (isSuperuser) for (const each of [folder, sharedRoot]) await chown(each, other, other);
      if (isSuperuser) process.seteuid?.(other);
      try {
        await moveFolderArchives({ ...moving, log }, before);
      } finally {
        if (isSuperuser) process.seteuid?.(0);
        await chmod(before, 0o755);
      }
      assert.deepEqual(await readFile(join(sharedRoot, `${sha256}.zip`)), archive);
      assert.deepEqual(
        warnings.map(({ file, msg }) => [file, msg]),
        [
          [
            join(before, `${sha256}.zip`),
            'an archive of code was copied, but cannot be removed here',
          ],
        ],
      );
    });
  });

  it('are removed when no row names them, unless one was added within the hour', async () => {
    await withServers(async ({ of, sharedRoot, age }) => {
      const one = await of('one');
      await one.ingest(archive, async () => {});
      await age(2 * hour);
      assert.equal(await one.pruneShared(async (found) => new Set(found)), 0);
      // Another server adds it after the rows were read.
      const added = async (): Promise<ReadonlySet<string>> => {
        await (await of('two')).ingest(archive, async () => {});
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
      const [left, busy] = [join(sharedRoot, 'new-LeftBy'), join(sharedRoot, 'new-BusyOf')];
      for (const folder of [left, busy]) await mkdir(folder);
      await writeFile(join(left, 'archive'), 'part');
      const then = Date.now() / 1000 - 2 * hour;
      await utimes(left, then, then);
      await shared.prune(none);
      assert.deepEqual(await readdir(sharedRoot), ['new-BusyOf']);
    });
  });

  it('are all that is ever removed from the folder', async () => {
    await withServers(async ({ shared, sharedRoot }) => {
      const then = Date.now() / 1000 - 2 * hour;
      const old = async (name: string): Promise<void> => utimes(join(sharedRoot, name), then, then);
      for (const name of ['backup.zip', 'new-notes', `${'A'.repeat(64)}.zip`]) {
        await writeFile(join(sharedRoot, name), 'of the operator');
        await old(name);
      }
      await mkdir(join(sharedRoot, 'new-photos'));
      await writeFile(join(sharedRoot, 'new-photos', 'one.jpeg'), 'of the operator');
      await old('new-photos');
      await symlink(join(sharedRoot, 'new-photos'), join(sharedRoot, 'new-link'));
      const before = await readdir(sharedRoot, { recursive: true });
      assert.equal(await shared.prune(none), 0);
      assert.deepEqual(await shared.list(), []);
      assert.deepEqual(await readdir(sharedRoot, { recursive: true }), before);
    });
  });

  it('leave folders alone whose names no server makes', async () => {
    await withServers(async ({ shared, sharedRoot }) => {
      const then = Date.now() / 1000 - 2 * hour;
      for (const name of ['new-archives', 'new-', 'new-a.b_cd']) {
        await mkdir(join(sharedRoot, name));
        for (const file of ['archive', `${sha256}.zip`])
          await writeFile(join(sharedRoot, name, file), archive);
        await utimes(join(sharedRoot, name), then, then);
      }
      const before = (await readdir(sharedRoot, { recursive: true })).toSorted();
      await shared.prune(none);
      await openFolderArchives(sharedRoot);
      await assert.rejects(
        shared.use(sha256, async () => {}),
        { code: 'ENOENT' },
      );
      assert.deepEqual((await readdir(sharedRoot, { recursive: true })).toSorted(), before);
    });
  });

  it('are files: what else has such a name is named in the fault, and is not removed', async () => {
    await withServers(async ({ shared, sharedRoot, folder, age }) => {
      const file = join(folder, 'file');
      await writeFile(file, archive);
      const path = join(sharedRoot, `${sha256}.zip`);
      const names = (what: string) => (error: unknown) => {
        assert.ok(error instanceof Error);
        assert.equal(String(error.cause).includes(`${path} is ${what}. Delete or rename it`), true);
        return true;
      };
      await promisify(execFile)('mkfifo', [path]);
      await assert.rejects(
        shared.use(sha256, async () => {}),
        names('not a file'),
      );
      await age(2 * hour);
      assert.equal(await shared.prune(none), 0);
      await shared.add(sha256, file);
      assert.deepEqual(await shared.use(sha256, (found) => readFile(found)), archive);
      await rm(path);
      await mkdir(path);
      await writeFile(join(path, 'notes'), 'of the operator');
      await age(2 * hour);
      await assert.rejects(
        shared.use(sha256, async () => {}),
        names('not a file'),
      );
      await assert.rejects(shared.add(sha256, file), names('a directory'));
      assert.equal(await shared.prune(none), 0);
      assert.deepEqual(await readdir(path), ['notes']);
      assert.deepEqual(await readdir(sharedRoot), [`${sha256}.zip`]);
    });
  });

  it('that are damaged are replaced by who uploads them again', async () => {
    await withServers(async ({ of, sharedRoot }) => {
      const one = await of('one');
      await one.ingest(archive, async () => {});
      // One that could be run as well.
      await writeFile(join(sharedRoot, `${sha256}.zip`), zipOf({ 'index.js': 'exportz' }));
      const two = await of('two');
      for (const read of [() => two.tree(sha256), () => two.openArchive(sha256)])
        await assert.rejects(read(), (error: Error) => {
          assert.match(String(error.cause), new RegExp(`${sha256} is damaged in the store`));
          return true;
        });
      await one.ingest(archive, async () => {});
      assert.deepEqual(await readFile(join(sharedRoot, `${sha256}.zip`)), archive);
      assert.deepEqual(await listed(await two.tree(sha256)), { 'index.js': 'exports' });
      assert.deepEqual(await readdir(sharedRoot), [`${sha256}.zip`]);
    });
  });
});

describe('an archive of which a server that was killed has put back a part', () => {
  it('is put back whole before what the server left is removed', async () => {
    await withServers(async ({ shared, sharedRoot }) => {
      const scratch = join(sharedRoot, 'new-AbC123');
      await mkdir(scratch);
      await writeFile(join(scratch, `${sha256}.zip`), archive);
      await writeFile(join(sharedRoot, `${sha256}.zip`), archive.subarray(0, 9));
      const then = Date.now() / 1000 - 2 * hour;
      await utimes(scratch, then, then);
      await shared.prune(async (found) => new Set(found));
      assert.deepEqual(await readdir(sharedRoot), [`${sha256}.zip`]);
      assert.deepEqual(await readFile(join(sharedRoot, `${sha256}.zip`)), archive);
    });
  });
});

describe('an archive that was being removed when the server was killed', () => {
  /** What is left of it, by the step after which the server was killed. Another server has added it again before the rename. */
  const steps: Record<string, (names: { path: string; aside: string }) => Promise<void>> = {
    'before it was moved': async () => {},
    'after it was moved': ({ path, aside }) => rename(path, aside),
    'after it was put back': async ({ path, aside }) => {
      await rename(path, aside);
      await link(aside, path);
    },
    'after it was stored anew meanwhile': async ({ path, aside }) => {
      await rename(path, aside);
      await writeFile(path, archive);
    },
  };
  const all = async (found: readonly string[]): Promise<ReadonlySet<string>> => new Set(found);

  for (const [step, leave] of Object.entries(steps)) {
    const withLeft = (work: (setup: Setup & { readonly scratch: string }) => Promise<void>) =>
      withServers(async (setup) => {
        const scratch = join(setup.sharedRoot, 'new-AbC123');
        await (await setup.of('one')).ingest(archive, async () => {});
        await mkdir(scratch);
        const path = join(setup.sharedRoot, `${sha256}.zip`);
        await leave({ path, aside: join(scratch, `${sha256}.zip`) });
        await work({ ...setup, scratch });
      });
    const passes = async (path: string): Promise<void> => {
      const then = Date.now() / 1000 - 2 * hour;
      await utimes(path, then, then);
    };

    it(`${step} is read by servers that run`, () =>
      withLeft(async ({ shared }) => {
        assert.deepEqual(await shared.use(sha256, (path) => readFile(path)), archive);
        assert.deepEqual(await shared.list(), [sha256]);
      }));

    it(`${step} is there after a start, and for a backup`, () =>
      withLeft(async ({ sharedRoot }) => {
        const started = await openFolderArchives(sharedRoot);
        assert.deepEqual(await started.list(), [sha256]);
        assert.deepEqual(await readFile(join(sharedRoot, `${sha256}.zip`)), archive);
      }));

    it(`${step} outlives the removal of what the server left`, () =>
      withLeft(async ({ shared, sharedRoot, scratch }) => {
        assert.equal(await shared.prune(all), 0);
        assert.deepEqual(await shared.list(), [sha256]);
        await passes(scratch);
        assert.equal(await shared.prune(all), 0);
        assert.deepEqual(await readdir(sharedRoot), [`${sha256}.zip`]);
        assert.deepEqual(await readFile(join(sharedRoot, `${sha256}.zip`)), archive);
      }));

    it(`${step} is removed later if nothing names it`, () =>
      withLeft(async ({ shared, sharedRoot, scratch, age }) => {
        await shared.prune(all);
        await passes(scratch);
        await age(2 * hour);
        assert.equal(await shared.prune(none), 1);
        assert.deepEqual(await readdir(sharedRoot), []);
      }));
  }
});
