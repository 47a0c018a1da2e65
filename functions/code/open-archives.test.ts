import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

import type { Database } from '#platform/database/database.ts';
import { createLog } from '#platform/log.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { present } from '#platform/present.ts';
import { systemRandom } from '#platform/random.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import type { ArchivesLocation } from './archives/archives-location.ts';
import type { SharedArchives } from './archives/shared-archives.ts';
import { openCodeFiles } from './code-files.ts';
import { recordCode } from './code-store.ts';
import { openArchives } from './open-archives.ts';
import { sendError, startS3Server } from './testing/s3-server.ts';
import { inTemporaryFolder } from './testing/temporary-folder.ts';
import { zipOf } from './testing/zip-of.ts';

const archive = zipOf({ 'index.js': 'exports' });
const sha256 = createHash('sha256').update(archive).digest('hex');

interface Setup {
  readonly folder: string;
  readonly database: Database;
  /** Warnings and errors in the log. */
  readonly problems: () => readonly Record<string, unknown>[];
  /** A start of a server with the store at `HOB_CODE`. */
  readonly start: (
    location: ArchivesLocation | undefined,
    server?: { readonly name?: string; readonly sharedFolder?: string; readonly of?: Database },
  ) => Promise<SharedArchives | undefined>;
}

function withDatabase(work: (setup: Setup) => Promise<void>): Promise<void> {
  return inTemporaryFolder(async (folder) => {
    const database = await openTestDatabase();
    const opened: SharedArchives[] = [];
    const lines: Record<string, unknown>[] = [];
    const log = createLog('warn', (line) => lines.push(JSON.parse(line)));
    try {
      await work({
        folder,
        database,
        problems: () => lines.map(({ pid: _pid, time: _time, level: _level, ...line }) => line),
        async start(location, { name = 'server', sharedFolder, of = database } = {}) {
          const own = { folder: join(folder, name), sharedFolder, location };
          const archives = await openArchives({ database: of, random: systemRandom, log }, own);
          if (archives) opened.push(archives);
          return archives;
        },
      });
    } finally {
      for (const archives of opened) archives.close();
      await database.close();
    }
  });
}

/** One that exists. */
async function storeIn(folder: string): Promise<ArchivesLocation & { folder: string }> {
  const path = join(folder, 'store');
  await mkdir(path, { recursive: true });
  return { kind: 'folder', folder: path };
}

const use = (database: Database, hash = sha256): Promise<void> =>
  database.write((sql) => recordCode(sql, { sha256: hash, size: 1, unzippedSize: 1 }, 1));

function refused(start: Promise<unknown>, message: RegExp): Promise<void> {
  return assert.rejects(start, (error) => {
    assert.ok(error instanceof OperatorError, String(error));
    assert.match(error.message, message);
    return true;
  });
}

describe('the folder that HOB_CODE names', () => {
  it('must exist', async () => {
    await withDatabase(async ({ folder, start }) => {
      const location = await storeIn(folder);
      await rm(location.folder, { recursive: true });
      await refused(start(location), /names the folder .*store, which does not exist/);
      assert.deepEqual(await readdir(folder), []);
      await writeFile(location.folder, 'a file');
      await refused(start(location), /does not exist/);
    });
  });

  it('must be the one with the code, not the mount point of it', async () => {
    await withDatabase(async ({ folder, start }) => {
      const location = await storeIn(folder);
      await start(location);
      await start(location, { name: 'other' });
      const marker = join(location.folder, 'hob-code.json');
      const text = await readFile(marker, 'utf8');
      await rm(marker);
      await refused(start(location), /lacks the file hob-code\.json.*was in .*store/);
      await writeFile(marker, 'damaged');
      await refused(start(location), /of another installation/);
      await writeFile(marker, text);
      await start(location);
    });
  });

  it('gets nothing while it is unmounted, and is used again when it is back', async () => {
    await withDatabase(async ({ folder, start }) => {
      const location = await storeIn(folder);
      const shared = await start(location);
      const code = await openCodeFiles(join(folder, 'node'), present({ shared }));
      await code.ingest(archive, async () => {});
      await rename(location.folder, join(folder, 'elsewhere'));
      await mkdir(location.folder);
      const unavailable = { code: 'ServiceException', status: 503 };
      const other = zipOf({ 'index.js': 'other' });
      await assert.rejects(
        code.ingest(other, async () => {}),
        unavailable,
      );
      await assert.rejects(code.openArchive(sha256), unavailable);
      const prune = (): Promise<number> => code.pruneShared(async () => new Set());
      await assert.rejects(prune(), /lacks hob-code\.json/);
      assert.deepEqual(await readdir(location.folder), []);
      await rm(location.folder, { recursive: true });
      await rename(join(folder, 'elsewhere'), location.folder);
      await code.ingest(other, async () => {});
      (await code.openArchive(sha256)).destroy();
    });
  });

  it('is of one installation', async () => {
    await withDatabase(async ({ folder, start }) => {
      const location = await storeIn(folder);
      await start(location);
      const of = await openTestDatabase();
      try {
        // It is being removed by a server of the installation that has the store.
        const scratch = join(location.folder, 'new-AbC123');
        await mkdir(scratch);
        await writeFile(join(scratch, `${sha256}.zip`), archive);
        await refused(start(location, { of }), /has the code of another installation/);
        assert.deepEqual(
          (await readdir(location.folder)).toSorted(),
          ['hob-code.json', 'new-AbC123'].toSorted(),
        );
        assert.deepEqual(await (await start(location))?.list(), [sha256]);
      } finally {
        await of.close();
      }
    });
  });

  it('is claimed once by servers that start together, and again after a crash in between', async () => {
    await withDatabase(async ({ folder, database, start }) => {
      const location = await storeIn(folder);
      await Promise.all(['one', 'two', 'three'].map((name) => start(location, { name })));
      // As if the first had been killed before it wrote the file.
      await database.write((sql) => sql.run('update function_code_stores set marked = 0'));
      await rm(join(location.folder, 'hob-code.json'));
      await start(location);
      await start(location);
    });
  });

  it('can be another one with everything copied there, and must be named from then on', async () => {
    await withDatabase(async ({ folder, start }) => {
      const location = await storeIn(folder);
      await start(location);
      const other = { kind: 'folder', folder: join(folder, 'other') } as const;
      await mkdir(other.folder);
      await refused(start(other), /lacks the file/);
      const text = await readFile(join(location.folder, 'hob-code.json'));
      await writeFile(join(other.folder, 'hob-code.json'), text);
      await start(other);
      await refused(start(undefined), /is in .*other: set HOB_CODE/);
    });
  });

  it('is another one for a copy of the database, as operations.md has it', async () => {
    await withDatabase(async ({ folder, database, start }) => {
      const location = await storeIn(folder);
      const shared = await start(location);
      const code = await openCodeFiles(join(folder, 'node'), present({ shared }));
      await code.ingest(archive, async () => {});
      const copy = { kind: 'folder', folder: join(folder, 'copy') } as const;
      await cp(location.folder, copy.folder, { recursive: true });
      await rm(join(copy.folder, 'hob-code.json'));
      await database.write((sql) => sql.run('delete from function_code_stores'));
      assert.deepEqual(await (await start(copy))?.list(), [sha256]);
      // From now on the two do not pass for one.
      await refused(start(location), /has the code of another installation/);
    });
  });

  it('gets the archives that the installation had', async () => {
    await withDatabase(async ({ folder, database, start }) => {
      await use(database);
      const sharedFolder = join(folder, 'shared');
      await (await openCodeFiles(join(sharedFolder, 'code'))).ingest(archive, async () => {});
      const before = await start(undefined, { sharedFolder });
      const usual = join(sharedFolder, 'archives');
      assert.deepEqual(await before?.list(), [sha256]);
      const after = await start(await storeIn(folder), { sharedFolder });
      assert.deepEqual(await after?.list(), [sha256]);
      assert.deepEqual(await readdir(usual), []);
    });
  });

  it('can be where they are', async () => {
    await withDatabase(async ({ folder, start }) => {
      const usual = join(folder, 'server', 'archives');
      await mkdir(usual, { recursive: true });
      await writeFile(join(usual, `${sha256}.zip`), archive);
      for (const _ of [1, 2]) await start({ kind: 'folder', folder: usual });
      assert.deepEqual(await readFile(join(usual, `${sha256}.zip`)), archive);
    });
  });
});

describe('archives that no function or layer of the installation uses', () => {
  const msg = 'archives that no function or layer of this installation uses stay where they are';
  const other = zipOf({ 'index.js': 'of another installation' });
  const otherHash = createHash('sha256').update(other).digest('hex');

  it('stay in the data folder of a server that had another database, even after an hour', async () => {
    await withDatabase(async ({ folder, database, start, problems }) => {
      const codeFolder = join(folder, 'server', 'code');
      const alone = await openCodeFiles(codeFolder);
      for (const each of [archive, other]) await alone.ingest(each, async () => {});
      await use(database);
      const sharedFolder = join(folder, 'shared');
      const shared = await start(undefined, { sharedFolder });
      assert.deepEqual(await shared?.list(), [sha256]);
      assert.deepEqual(problems(), [{ folder: codeFolder, archives: 1, msg }]);
      const node = await openCodeFiles(codeFolder, present({ shared }));
      const none = async (): Promise<ReadonlySet<string>> => new Set();
      for (const _ of [1, 2]) await node.prune(none);
      assert.deepEqual(await readdir(codeFolder), [otherHash]);
      assert.deepEqual(await readFile(join(codeFolder, otherHash, 'archive.zip')), other);
      // That server finds all of its code that is not of both.
      const again = await openCodeFiles(codeFolder);
      assert.equal(await again.tree(otherHash), join(codeFolder, otherHash, 'tree'));
      (await again.openArchive(otherHash)).destroy();
    });
  });

  it('stay where they are when HOB_CODE is set', async () => {
    await withDatabase(async ({ folder, database, start, problems }) => {
      const usual = join(folder, 'server', 'archives');
      await mkdir(usual, { recursive: true });
      await writeFile(join(usual, `${sha256}.zip`), archive);
      await writeFile(join(usual, `${otherHash}.zip`), other);
      await use(database);
      const shared = await start(await storeIn(folder));
      assert.deepEqual(await shared?.list(), [sha256]);
      assert.deepEqual(await readdir(usual), [`${otherHash}.zip`]);
      assert.deepEqual(problems(), [{ folder: usual, archives: 1, msg }]);
    });
  });
});

describe('damaged archives of a server that gets HOB_CODE', () => {
  const otherArchive = zipOf({ 'index.js': 'other' });
  const otherSha256 = createHash('sha256').update(otherArchive).digest('hex');

  /** A server that ran without: one archive is fine, and of another the content changed on disk. */
  async function damagedIn(code: string): Promise<string> {
    const files = await openCodeFiles(code);
    await files.ingest(archive, async () => {});
    await files.ingest(otherArchive, async () => {});
    const path = join(code, sha256, 'archive.zip');
    await writeFile(path, 'damaged');
    return path;
  }

  it('stop nothing if nothing uses them', async () => {
    await withDatabase(async ({ folder, database, start, problems }) => {
      const store = await startS3Server();
      try {
        const path = await damagedIn(join(folder, 'server', 'code'));
        await use(database, otherSha256);
        const usual = join(folder, 'server', 'archives');
        await mkdir(join(usual, `${'1'.repeat(64)}.zip`), { recursive: true });
        await promisify(execFile)('mkfifo', [join(usual, `${'2'.repeat(64)}.zip`)]);
        await start(store.location);
        const names = [...store.objects.keys()].filter((name) => name.endsWith('.zip'));
        assert.deepEqual(names, [`hob/${otherSha256}.zip`]);
        assert.equal(await readFile(path, 'utf8'), 'damaged');
        const msg =
          'archives that no function or layer of this installation uses stay where they are';
        assert.deepEqual(problems(), [
          { folder: usual, archives: 2, msg },
          { folder: join(folder, 'server', 'code'), archives: 1, msg },
        ]);
      } finally {
        await store.close();
      }
    });
  });

  it('are named in the log with what is wrong if a function or layer uses them', async () => {
    await withDatabase(async ({ folder, database, start, problems }) => {
      const usual = join(folder, 'server', 'archives');
      const pathOf = (digit: string): string => join(usual, `${digit.repeat(64)}.zip`);
      await mkdir(pathOf('1'), { recursive: true });
      await promisify(execFile)('mkfifo', [pathOf('2')]);
      await symlink(join(folder, 'absent'), pathOf('3'));
      for (const digit of ['1', '2', '3']) await use(database, digit.repeat(64));
      await refused(start(await storeIn(folder)), /is damaged: .* The log names 2 more\./);
      const msg = 'an archive of code that is used is damaged';
      const byFile = problems().toSorted((one, two) =>
        String(one['file']) < String(two['file']) ? -1 : 1,
      );
      assert.deepEqual(byFile, [
        { file: pathOf('1'), fault: 'it is not a file', msg },
        { file: pathOf('2'), fault: 'it is not a file', msg },
        { file: pathOf('3'), fault: 'it is a link to a file that does not exist', msg },
      ]);
    });
  });

  it('are refused with their path if a function or layer uses them, until they are mended or deleted', async () => {
    await withDatabase(async ({ folder, database, start }) => {
      const location = await storeIn(folder);
      const path = await damagedIn(join(folder, 'server', 'code'));
      for (const each of [sha256, otherSha256]) await use(database, each);
      const message = `The archive ${path} of a function or layer is damaged: its hash is `;
      await assert.rejects(start(location), (error: unknown) => {
        assert.ok(error instanceof OperatorError, String(error));
        assert.equal(error.message.slice(0, message.length), message);
        assert.match(error.message, /Copy it from a backup, or delete it, start again and upload/);
        return true;
      });
      // Everything else is there, and nothing under this name.
      const names = await readdir(location.folder);
      assert.equal(names.filter((name) => name.endsWith('.zip')).length, 1);
      assert.equal(names.includes(`${sha256}.zip`), false);
      await writeFile(path, archive);
      await start(location);
      assert.deepEqual(await readFile(join(location.folder, `${sha256}.zip`)), archive);
    });
  });

  it('are found in the folder that a server had before it became a node', async () => {
    await withDatabase(async ({ folder, database, start }) => {
      const path = await damagedIn(join(folder, 'server', 'code'));
      for (const each of [sha256, otherSha256]) await use(database, each);
      const sharedFolder = join(folder, 'shared');
      const damaged = new RegExp(`The archive ${path} of a function or layer is damaged`);
      await refused(start(undefined, { sharedFolder }), damaged);
      await rm(path);
      const archives = await start(undefined, { sharedFolder });
      assert.equal((await archives?.list())?.length, 1);
    });
  });
});

describe('the bucket that HOB_CODE names', () => {
  it('is claimed, and gets the archives that the installation had', async () => {
    await withDatabase(async ({ folder, database, start }) => {
      await use(database);
      const store = await startS3Server();
      try {
        const usual = join(folder, 'server', 'archives');
        await mkdir(usual, { recursive: true });
        await writeFile(join(usual, `${sha256}.zip`), archive);
        await start(store.location);
        const names = [...store.objects.keys()].toSorted();
        assert.deepEqual(names, [`hob/${sha256}.zip`, 'hob/hob-code.json'].toSorted());
        await start(store.location, { name: 'two' });
        const other = await openTestDatabase();
        await refused(start(store.location, { of: other }), /another installation/);
        await start({ ...store.location, prefix: 'other/' }, { of: other });
        await other.close();
      } finally {
        await store.close();
      }
    });
  });

  it('that fails while archives are moved there leaves them to the next start', async () => {
    await withDatabase(async ({ folder, database, start }) => {
      await use(database);
      const store = await startS3Server();
      const usual = join(folder, 'server', 'archives');
      await mkdir(usual, { recursive: true });
      await writeFile(join(usual, `${sha256}.zip`), archive);
      store.fault = ({ method, key }, response) => {
        if (method !== 'PUT' || !key.endsWith('.zip')) return false;
        sendError(response, { status: 403, code: 'QuotaExceeded', message: 'No room.' });
        return true;
      };
      await refused(start(store.location), /Moving archives .* failed: QuotaExceeded: No room\. /);
      assert.deepEqual(await readdir(usual), [`${sha256}.zip`]);
      // Those too that a node had before it was one.
      await rename(usual, join(folder, 'elsewhere'));
      const code = join(folder, 'server', 'code');
      await (await openCodeFiles(code)).ingest(archive, async () => {});
      const sharedFolder = join(folder, 'shared');
      const asNode = (): Promise<unknown> => start(store.location, { sharedFolder });
      await refused(asNode(), /Moving archives .* failed: QuotaExceeded: No room\. /);
      assert.ok((await readdir(join(code, sha256))).includes('archive.zip'));
      await rename(join(folder, 'elsewhere'), usual);
      store.fault = undefined;
      await asNode();
      assert.equal((await readdir(join(code, sha256))).includes('archive.zip'), false);
      await start(store.location);
      assert.deepEqual(await readdir(usual), []);
      await store.close();
    });
  });

  it('that cannot be used is named with what to do', async () => {
    await withDatabase(async ({ start }) => {
      const store = await startS3Server();
      const { location } = store;
      const cases: [ArchivesLocation, RegExp][] = [
        [
          { ...location, bucket: 'absent' },
          /s3:\/\/absent\/hob\/.* at http:\/\/127.*: NoSuchBucket: .* Create the bucket, or correct HOB_CODE\.$/,
        ],
        [
          { ...location, key: { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wrong' } },
          /SignatureDoesNotMatch: .* Check HOB_CODE_ACCESS_KEY_ID and HOB_CODE_SECRET_ACCESS_KEY/,
        ],
        [{ ...location, key: { id: 'AKIAWRONG', secret: 'x' } }, /InvalidAccessKeyId: .* Check/],
      ];
      for (const [wrong, message] of cases) {
        await refused(start(wrong), message);
        await refused(start(wrong), /^(?!.*wJalrXUtnFEMI)(?!.*wrong)/);
      }
      const answered: [number, string, RegExp][] = [
        [301, 'PermanentRedirect', /Set HOB_CODE_REGION/],
        [400, 'AuthorizationHeaderMalformed', /Set HOB_CODE_REGION/],
        [500, 'InternalError', /Check HOB_CODE_ENDPOINT/],
      ];
      for (const [status, code, message] of answered) {
        store.fault = (_request, response) => {
          sendError(response, { status, code, message: 'No.' });
          return true;
        };
        await refused(start(location), message);
      }
      await store.close();
      await refused(start(location), /ECONNREFUSED: .* Check HOB_CODE_ENDPOINT/);
      const endpoint = location.endpoint?.replace('127.0.0.1', 'localhost');
      await refused(start({ ...location, endpoint }), /ECONNREFUSED(: [^.]|\. Check)/);
    });
  });

  it('must allow writing', async () => {
    await withDatabase(async ({ start }) => {
      const store = await startS3Server();
      store.fault = ({ method }, response) => {
        if (method !== 'PUT') return false;
        sendError(response, { status: 403, code: 'AccessDenied', message: 'Access Denied' });
        return true;
      };
      await refused(start(store.location), /AccessDenied: Access Denied\. .*get, put and delete/);
      await store.close();
    });
  });
});
