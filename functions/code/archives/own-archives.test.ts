import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

import { errorCode } from '#platform/error-code.ts';
import { createLog } from '#platform/log.ts';
import { systemRandom } from '#platform/random.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { openArchives } from '../open-archives.ts';
import { startS3Server } from '../testing/s3-server.ts';
import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import type { ArchivesLocation } from './archives-location.ts';
import { findClaim } from './claim-store.ts';
import { openCodeStore } from './open-store.ts';
import type { SharedArchives } from './shared-archives.ts';
import { markerText } from './store-marker.ts';

const content = Buffer.from('an archive');
const sha256 = createHash('sha256').update(content).digest('hex');
const name = `${sha256}.zip`;
const otherKey = '0b5a3c50-5c1f-4f0e-8f57-0f6f3e7c1a11';
const hour = 3_600_000;

/** A server with an archive that has been in the store for hours, and that no row names. */
async function started(
  location: ArchivesLocation,
  folder: string,
  work: (server: {
    readonly archives: SharedArchives;
    readonly file: string;
    readonly key: string;
  }) => Promise<void>,
): Promise<void> {
  const database = await openTestDatabase();
  try {
    const archives = await openArchives(
      { database, random: systemRandom, log: createLog('silent') },
      { folder: join(folder, 'server'), sharedFolder: undefined, location },
    );
    assert.ok(archives);
    const file = join(folder, 'file');
    await writeFile(file, content);
    await archives.add(sha256, file);
    const { key = '' } = (await database.read(findClaim)) ?? {};
    try {
      await work({ archives, file, key });
    } finally {
      archives.close();
    }
  } finally {
    await database.close();
  }
}

const none = async (): Promise<ReadonlySet<string>> => new Set();

/** Neither removes nor adds, and says which keys differ. */
async function leavesAlone(
  { archives, file }: { readonly archives: SharedArchives; readonly file: string },
  fault: RegExp,
): Promise<void> {
  await assert.rejects(archives.prune(none), fault);
  await assert.rejects(archives.add(sha256, file), (error) => {
    assert.ok(error instanceof Error);
    assert.ok('status' in error && error.status === 503);
    assert.match(String(error.cause), fault);
    return true;
  });
}

describe('a store that has become that of another installation', () => {
  it('is left alone in a folder, until it is back', () =>
    inTemporaryFolder(async (folder) => {
      const store = join(folder, 'store');
      await mkdir(store);
      await started({ kind: 'folder', folder: store }, folder, async (server) => {
        const marker = join(store, 'hob-code.json');
        const then = (Date.now() - 2 * hour) / 1000;
        await utimes(join(store, name), then, then);
        const own = await readFile(marker, 'utf8');
        await writeFile(marker, `{"key":"${otherKey}"}\n`);
        await leavesAlone(
          server,
          new RegExp(
            `store has the key ${otherKey}, and this installation has the key ${server.key}`,
          ),
        );
        await rm(marker);
        await leavesAlone(server, /store lacks hob-code\.json, and this installation has the key/);
        await writeFile(marker, own.slice(0, 9));
        await leavesAlone(server, /hob-code\.json of the store of code \S+ has no key, and/);
        assert.deepEqual((await readdir(store)).toSorted(), [name, 'hob-code.json'].toSorted());
        await writeFile(marker, own);
        assert.equal(await server.archives.prune(none), 1);
        await server.archives.add(sha256, server.file);
      });
    }));

  it('is left alone in a bucket, until it is back', () =>
    inTemporaryFolder(async (folder) => {
      const store = await startS3Server();
      try {
        await started(store.location, folder, async (server) => {
          for (const object of store.objects.values()) object.modified -= 2 * hour;
          const own = store.objects.get('hob/hob-code.json');
          assert.ok(own);
          const text = Buffer.from(`{"key":"${otherKey}"}\n`);
          store.objects.set('hob/hob-code.json', { content: text, modified: 0 });
          const before = [...store.objects.keys()].toSorted();
          await leavesAlone(
            server,
            new RegExp(
              `hob/ at \\S+ has the key ${otherKey}, and this .* has the key ${server.key}`,
            ),
          );
          assert.deepEqual([...store.objects.keys()].toSorted(), before);
          store.objects.set('hob/hob-code.json', own);
          // Once in each removal, however many archives there are.
          store.requests.length = 0;
          assert.equal(await server.archives.prune(none), 1);
          const reads = store.requests.filter((request) => request === 'GET hob/hob-code.json');
          assert.equal(reads.length, 1);
        });
      } finally {
        await store.close();
      }
    }));
});

describe('the file of a store that names its installation', () => {
  it('is read again while another server still writes it', () =>
    inTemporaryFolder(async (folder) => {
      const store = join(folder, 'store');
      await mkdir(store);
      await started({ kind: 'folder', folder: store }, folder, async ({ archives }) => {
        const marker = join(store, 'hob-code.json');
        const own = await readFile(marker, 'utf8');
        await rm(marker);
        await promisify(execFile)('mkfifo', [marker]);
        const pruned = archives.prune(async (found) => new Set(found));
        const run = { isOver: false };
        const ended = pruned.finally(() => (run.isOver = true));
        // Once the first read has started; the next one finds the whole file.
        let part: FileHandle | undefined;
        while (!part && !run.isOver)
          part = await open(marker, constants.O_WRONLY | constants.O_NONBLOCK).catch(
            (error: unknown) => {
              if (errorCode(error) !== 'ENXIO') throw error;
              return undefined;
            },
          );
        assert.ok(part, 'The file is read.');
        await writeFile(join(folder, 'whole'), own);
        await rename(join(folder, 'whole'), marker);
        await part.writeFile(own.slice(0, 9));
        await part.close();
        assert.equal(await ended, 0);
      });
    }));

  it('holds one thread up where the mount of the store hangs', () =>
    inTemporaryFolder(async (folder) => {
      const marker = join(folder, 'hob-code.json');
      // Who opens it waits for a writer, as for a server of files that is gone.
      await promisify(execFile)('mkfifo', [marker]);
      const location = { kind: 'folder', folder } as const;
      const store = await openCodeStore(location, join(folder, 'copies'), systemRandom, 20);
      const asked = Array.from({ length: 8 }, (_, index) =>
        index % 2 === 0
          ? store.readMarker()
          : store.archives.use(sha256, async () => assert.fail('It was used.')),
      );
      const outcomes = await Promise.allSettled(asked);
      // Each call of the file system needs a thread, as many as there are besides the one that waits.
      await Promise.all([1, 2, 3].map(() => readdir(folder)));
      const writer = await open(marker, constants.O_WRONLY | constants.O_NONBLOCK);
      await writer.writeFile(markerText(otherKey));
      await writer.close();
      for (const outcome of outcomes) {
        assert.ok(outcome.status === 'rejected');
        assert.match(String(outcome.reason), /The store of code archives is unavailable/);
        assert.match(String(outcome.reason.cause), /did not answer within 20 ms\./);
      }
      await rm(marker);
      await writeFile(marker, markerText(otherKey));
      assert.equal(await store.readMarker(), markerText(otherKey));
    }));
});
