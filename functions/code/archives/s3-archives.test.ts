import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';

import { createLog } from '#platform/log.ts';
import { systemRandom } from '#platform/random.ts';

import { type CodeFiles, openCodeFiles } from '../code-files.ts';
import { ingestCode } from '../ingest-code.ts';
import { storeMilliseconds } from '../objects/object-store.ts';
import { type S3Server, sendError, startS3Server } from '../testing/s3-server.ts';
import { inTemporaryFolder, listed } from '../testing/temporary-folder.ts';
import { zipOf } from '../testing/zip-of.ts';
import { openS3Archives } from './s3-archives.ts';
import { openS3Bucket, type S3Bucket } from './s3-bucket.ts';
import type { SharedArchives } from './shared-archives.ts';
import { type MovePorts, moveFolderArchives } from './move-archives.ts';

const archive = zipOf({ 'index.js': 'exports' });
const sha256 = createHash('sha256').update(archive).digest('hex');
const stored = `hob/${sha256}.zip`;
const hour = 3_600_000;
const none = async (): Promise<ReadonlySet<string>> => new Set();
const all = async (found: readonly string[]): Promise<ReadonlySet<string>> => new Set(found);
/** These archives are used. */
const movingTo = (shared: SharedArchives, hashes: readonly string[] = [sha256]): MovePorts => ({
  shared,
  referenced: async () => new Set(hashes),
  log: createLog('silent'),
});
const unavailable = { code: 'ServiceException', status: 503 };

const errorName = (error: unknown): unknown => (error instanceof Error ? error.name : error);

interface Setup {
  readonly store: S3Server;
  readonly bucket: S3Bucket;
  readonly shared: SharedArchives;
  /** The code files of a server. */
  readonly of: (server: string) => Promise<CodeFiles>;
  /** As if everything had been stored so much earlier. */
  readonly age: (milliseconds: number) => void;
  /** Keys without the prefix, those of the service itself left out, and the random part of names. */
  readonly names: () => string[];
  readonly folder: string;
}

function withStore(work: (setup: Setup) => Promise<void>): Promise<void> {
  return inTemporaryFolder(async (folder) => {
    const store = await startS3Server();
    const bucket = await openS3Bucket(store.location);
    const open = (name: string): Promise<SharedArchives> =>
      openS3Archives(bucket, join(folder, `${name}-copies`), systemRandom);
    try {
      await work({
        store,
        bucket,
        folder,
        shared: await open('alone'),
        of: async (server) => openCodeFiles(join(folder, server), { shared: await open(server) }),
        age(milliseconds) {
          for (const object of store.objects.values()) object.modified -= milliseconds;
        },
        names: () =>
          [...store.objects.keys()]
            .filter((name) => name.endsWith('.zip'))
            .map((name) => name.replace(/^hob\//, '').replace(/-[0-9a-f-]{36}\.zip$/, '-…')),
      });
    } finally {
      bucket.close();
      await store.close();
    }
  });
}

describe('archives in a bucket', () => {
  it('are unpacked by each server that runs them, and read by each', async () => {
    await withStore(async ({ of, folder }) => {
      const [one, two] = [await of('one'), await of('two')];
      await one.ingest(archive, async (code) => assert.equal(code.sha256, sha256));
      assert.deepEqual(await readdir(join(folder, 'two')), []);
      assert.deepEqual(await listed(await two.tree(sha256)), { 'index.js': 'exports' });
      assert.deepEqual(await buffer(await two.openArchive(sha256)), archive);
      const size = await two.readArchive(sha256, async ({ entries }) => entries.length);
      assert.equal(size, 1);
    });
  });

  it('are there, confirmed by the store, before the row that names them', async () => {
    await withStore(async ({ of, store }) => {
      const one = await of('one');
      await one.ingest(archive, async () => {
        assert.deepEqual(store.objects.get(stored)?.content, archive);
      });
    });
  });

  it('have no row if the store does not confirm them', async () => {
    await withStore(async ({ of, store }) => {
      store.fault = (_request, response) => {
        sendError(response, { status: 503, code: 'SlowDown', message: 'Later.' });
        return true;
      };
      const one = await of('one');
      const rows: string[] = [];
      const taken = one.ingest(archive, async (code) => rows.push(code.sha256));
      await assert.rejects(taken, unavailable);
      assert.deepEqual(rows, []);
    });
  });

  it('can be added by two servers at once, and again', async () => {
    await withStore(async ({ of, names }) => {
      const [one, two] = [await of('one'), await of('two')];
      await Promise.all([one, two].map((server) => server.ingest(archive, async () => {})));
      await one.ingest(archive, async () => {});
      assert.deepEqual(names(), [`${sha256}.zip`]);
      assert.deepEqual(await buffer(await two.openArchive(sha256)), archive);
    });
  });

  it('are moved there from the folder that the servers had before, unless it is a store', async () => {
    await withStore(async ({ shared, folder, names }) => {
      const before = join(folder, 'before');
      await mkdir(before);
      await writeFile(join(before, `${sha256}.zip`), archive);
      await writeFile(join(before, 'other.txt'), 'other');
      await writeFile(join(before, 'hob-code.json'), '{}');
      await moveFolderArchives(movingTo(shared), before);
      assert.deepEqual(names(), []);
      await rm(join(before, 'hob-code.json'));
      await moveFolderArchives(movingTo(shared), before);
      assert.deepEqual(names(), [`${sha256}.zip`]);
      assert.deepEqual(await readdir(before), ['other.txt']);
    });
  });

  it('that another server removes while they are moved are left to it', async () => {
    await withStore(async ({ shared, names, folder }) => {
      await assert.rejects(shared.add(sha256, join(folder, 'absent.zip')), { code: 'ENOENT' });
      const before = join(folder, 'shared', 'archives');
      await mkdir(before, { recursive: true });
      const contents = Array.from({ length: 60 }, (_, index) => zipOf({ 'index.js': `${index}` }));
      const hashes = contents.map((each) => createHash('sha256').update(each).digest('hex'));
      for (const [index, each] of contents.entries())
        await writeFile(join(before, `${hashes[index]}.zip`), each);
      const move = (): Promise<void> => moveFolderArchives(movingTo(shared, hashes), before);
      await Promise.all([move(), move(), move(), move()]);
      assert.deepEqual(names().toSorted(), hashes.map((hash) => `${hash}.zip`).toSorted());
      assert.deepEqual(await readdir(before), []);
    });
  });

  it('have keys of hashes alone', async () => {
    await withStore(async ({ shared, store }) => {
      for (const name of ['../secret', '', 'AB'.repeat(32), `${sha256}/../x`]) {
        await assert.rejects(
          shared.use(name, async () => {}),
          /is no (hash|name)/,
        );
      }
      assert.deepEqual(store.requests, []);
    });
  });

  it('that are copied to a host are removed there when nobody has read them for a while', async () => {
    await withStore(async ({ of, store, folder }) => {
      const [one, two] = [await of('one'), await of('two')];
      await one.ingest(archive, async () => {});
      const copies = (): Promise<string[]> => readdir(join(folder, 'two-copies'));
      for (const _ of [1, 2]) (await two.openArchive(sha256)).destroy();
      const reads = store.requests.filter((request) => request.startsWith('GET'));
      assert.equal(reads.length, 1);
      await two.prune(all);
      assert.deepEqual(await copies(), [sha256]);
      await two.prune(all);
      assert.deepEqual(await copies(), []);
    });
  });
});

describe('removal of archives in a bucket', () => {
  it('takes two steps of an hour, by the clock of the store', async () => {
    await withStore(async ({ of, store, age, names }) => {
      const one = await of('one');
      store.ahead = 5 * hour;
      await one.ingest(archive, async () => {});
      assert.equal(await one.pruneShared(none), 0);
      age(2 * hour);
      assert.equal(await one.pruneShared(all), 0);
      assert.equal(await one.pruneShared(none), 1);
      assert.deepEqual(names(), [`unreferenced/${sha256}-…`]);
      assert.equal(await one.pruneShared(none), 0);
      assert.deepEqual(names(), [`unreferenced/${sha256}-…`]);
      age(2 * hour);
      await one.pruneShared(none);
      assert.deepEqual(names(), []);
    });
  });

  it('finds those of all pages, and nothing but archives', async () => {
    await withStore(async ({ of, store, age, names }) => {
      const one = await of('one');
      for (let number = 0; number < 8; number += 1) {
        await one.ingest(zipOf({ 'index.js': `number ${number}` }), async () => {});
      }
      const others = [
        'hob/notes.zip',
        `hob/x/${sha256}.zip`,
        `${sha256}.zip`,
        'hob/unreferenced/x.zip',
      ];
      for (const name of others) store.objects.set(name, { content: archive, modified: 0 });
      age(2 * hour);
      assert.equal(await one.pruneShared(none), 8);
      assert.ok(others.every((name) => store.objects.has(name)));
      assert.equal(names().filter((name) => name.endsWith('…')).length, 8);
    });
  });

  it('goes on after one that fails, which it tries again', async () => {
    await withStore(async ({ of, store, age, names }) => {
      const one = await of('one');
      for (let number = 0; number < 4; number += 1)
        await one.ingest(zipOf({ 'index.js': `number ${number}` }), async () => {});
      age(2 * hour);
      for (const [code, status] of [
        ['AccessDenied', 403],
        ['InternalError', 500],
      ] as const) {
        const [held = ''] = names();
        store.fault = ({ method, key }, response) => {
          const isHeld = key.startsWith(`hob/unreferenced/${held.slice(0, 64)}`);
          if (method !== 'PUT' || !isHeld) return false;
          sendError(response, { status, code, message: 'Held.' });
          return true;
        };
        await assert.rejects(one.pruneShared(none), (error) => {
          assert.ok(error instanceof AggregateError, String(error));
          assert.deepEqual(
            error.errors.map((each: Error) => [each.message, errorName(each.cause)]),
            [[`${held} was not removed.`, code]],
          );
          return true;
        });
        assert.deepEqual(
          names().filter((name) => !name.startsWith('unreferenced/')),
          [held],
        );
      }
      store.fault = undefined;
      assert.equal(await one.pruneShared(none), 1);
    });
  });

  it('copies none again and again where the key may not delete', async () => {
    await withStore(async ({ of, store, age, names }) => {
      const one = await of('one');
      await one.ingest(archive, async () => {});
      store.fault = ({ method }, response) => {
        if (method !== 'DELETE') return false;
        sendError(response, { status: 403, code: 'AccessDenied', message: 'Access Denied' });
        return true;
      };
      for (let run = 0; run < 4; run += 1) {
        age(2 * hour);
        await assert.rejects(one.pruneShared(none), AggregateError);
      }
      assert.deepEqual(names().toSorted(), [`${sha256}.zip`, `unreferenced/${sha256}-…`]);
      store.fault = undefined;
      for (let run = 0; run < 3; run += 1) {
        age(2 * hour);
        await one.pruneShared(none);
      }
      assert.deepEqual(names(), []);
    });
  });

  it('ends early where the store does not work', async () => {
    await withStore(async ({ of, store, age }) => {
      const one = await of('one');
      for (let number = 0; number < 6; number += 1)
        await one.ingest(zipOf({ 'index.js': `number ${number}` }), async () => {});
      age(2 * hour);
      const deleted = new Set<string>();
      store.fault = ({ method, key }, response) => {
        if (method !== 'DELETE') return false;
        deleted.add(key);
        response.destroy();
        return true;
      };
      await assert.rejects(one.pruneShared(none), { message: '3 removals failed.' });
      assert.equal(deleted.size, 3);
    });
  });

  it('finds what is added again after the rows were read', async () => {
    await withStore(async ({ of, age, names }) => {
      const [one, two] = [await of('one'), await of('two')];
      await one.ingest(archive, async () => {});
      age(2 * hour);
      const added = async (): Promise<ReadonlySet<string>> => {
        await two.ingest(archive, async () => {});
        return new Set();
      };
      await one.pruneShared(added);
      // It was listed as old: readers find it where it was moved, for as long as a row names it.
      assert.deepEqual(names(), [`unreferenced/${sha256}-…`]);
      for (const server of ['three', 'four']) {
        assert.deepEqual(await buffer(await (await of(server)).openArchive(sha256)), archive);
        age(2 * hour);
        await one.pruneShared(all);
      }
      assert.deepEqual(await listed(await (await of('five')).tree(sha256)), {
        'index.js': 'exports',
      });
      assert.deepEqual(names(), [`unreferenced/${sha256}-…`]);
    });
  });

  it('by two servers at once loses nothing that a third one adds', async () => {
    await withStore(async ({ of, age, bucket, folder }) => {
      const [one, two, three] = [await of('one'), await of('two'), await of('three')];
      await one.ingest(archive, async () => {});
      age(2 * hour);
      await one.pruneShared(none);
      age(2 * hour);
      await three.ingest(archive, async () => {});
      age(2 * hour);
      // The first has listed what was removed long ago; meanwhile it is added again, and the second moves that away.
      await one.pruneShared(async () => {
        await three.ingest(archive, async () => {});
        age(2 * hour);
        // It deletes what was moved before, and then moves the new one.
        for (const _ of [1, 2]) await two.pruneShared(none);
        return new Set();
      });
      const lastCopy = join(folder, 'last.zip');
      const left: string[] = [];
      for await (const { name } of bucket.list('unreferenced/')) left.push(name);
      assert.equal(left.length, 1);
      assert.equal(await bucket.download(left[0] ?? '', lastCopy, 1000), sha256);
    });
  });
});

describe('a store that fails', () => {
  const failing = (work: (setup: Setup & { readonly server: CodeFiles }) => Promise<void>) =>
    withStore(async (setup) => {
      await (await setup.of('one')).ingest(archive, async () => {});
      setup.store.requests.length = 0;
      await work({ ...setup, server: await setup.of('two') });
    });

  it('while it is read is asked again', async () => {
    await failing(async ({ store, server }) => {
      let left = 2;
      store.fault = (_request, response) => {
        if ((left -= 1) < 0) return false;
        if (left === 1) sendError(response, { status: 503, code: 'SlowDown', message: 'Later.' });
        else {
          response.writeHead(200, { 'content-length': archive.length });
          response.write(archive.subarray(0, 20), () => response.destroy());
        }
        return true;
      };
      assert.deepEqual(await listed(await server.tree(sha256)), { 'index.js': 'exports' });
    });
  });

  it('with bodies that always end early is unavailable, and nothing is unpacked', async () => {
    await failing(async ({ store, server, folder }) => {
      store.fault = (_request, response) => {
        response.writeHead(200, { 'content-length': archive.length });
        response.write(archive.subarray(0, 20), () => response.destroy());
        return true;
      };
      await assert.rejects(server.tree(sha256), unavailable);
      assert.deepEqual(await readdir(join(folder, 'two')), []);
      assert.deepEqual(await readdir(join(folder, 'two-copies')), []);
    });
  });

  it('with another content is not believed', async () => {
    await failing(async ({ store, server, folder }) => {
      const content = zipOf({ 'index.js': 'exportz' });
      assert.equal(content.length, archive.length);
      store.objects.set(stored, { content, modified: 0 });
      await assert.rejects(server.tree(sha256), (error: Error) => {
        assert.match(String(error.cause), new RegExp(`${sha256} is damaged in the store`));
        return true;
      });
      assert.deepEqual(await readdir(join(folder, 'two')), []);
      // Whoever uploads the code again repairs it.
      await server.ingest(archive, async () => {});
      assert.deepEqual(await buffer(await server.openArchive(sha256)), archive);
    });
  });

  it('with an object that is too large says so in the log, after one look', async () => {
    await failing(async ({ store, server }) => {
      store.fault = (_request, response) => {
        response.writeHead(200, { 'content-length': 300 * 2 ** 20 });
        response.write(archive);
        return true;
      };
      await assert.rejects(server.tree(sha256), (error: Error) => {
        assert.match(error.message, /^The archive of this code cannot be read/);
        assert.match(String(error.cause), new RegExp(`${sha256} is damaged in the store: .*bytes`));
        return true;
      });
      assert.equal(store.requests.length, 1);
    });
  });

  it('with an endless body is not read to the end', async () => {
    await failing(async ({ bucket, store, folder }) => {
      store.fault = (_request, response) => {
        response.writeHead(200);
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
          response.once('drain', more);
        };
        more();
        return true;
      };
      const download = bucket.download(`${sha256}.zip`, join(folder, 'file'), 1_000_000);
      await assert.rejects(download, { message: 'It has over 1000000 bytes.' });
    });
  });

  it('that forbids is asked once', async () => {
    await failing(async ({ store, server }) => {
      store.fault = (_request, response) => {
        sendError(response, { status: 403, code: 'AccessDenied', message: 'Access Denied' });
        return true;
      };
      await assert.rejects(server.tree(sha256), (error: Error) => {
        assert.match(String(error.cause), /AccessDenied/);
        return true;
      });
      assert.equal(store.requests.length, 1);
      await assert.rejects(
        server.ingest(archive, async () => {}),
        unavailable,
      );
    });
  });

  it('that does not listen is unavailable, and unpacked code is not', async () => {
    await failing(async ({ store, server, of }) => {
      await store.close();
      await assert.rejects(server.tree(sha256), unavailable);
      await assert.rejects(server.openArchive(sha256), unavailable);
      const one = await of('one');
      assert.deepEqual(await listed(await one.tree(sha256)), { 'index.js': 'exports' });
    });
  });

  it('that accepts requests and never answers, or stops in the middle, is given up', async () => {
    await failing(async ({ store, folder }) => {
      const bucket = await openS3Bucket(store.location, 50);
      const file = join(folder, 'file');
      try {
        for (const begin of [false, true]) {
          const name = begin ? 'cut.zip' : 'silent.zip';
          // The last one may arrive late, after the client has given it up.
          const received = (): number =>
            store.requests.filter((each) => each.endsWith(name)).length;
          store.fault = (_request, response) => {
            if (begin) {
              response.writeHead(200, { 'content-length': archive.length });
              response.write(archive.subarray(0, 20));
            }
            return true;
          };
          await assert.rejects(bucket.download(name, file, 1000));
          while (received() < 3) await new Promise(setImmediate);
          assert.equal(received(), 3);
        }
        await writeFile(file, archive);
        await assert.rejects(bucket.put(`${sha256}.zip`, file, sha256));
      } finally {
        bucket.close();
      }
    });
  });

  it('that never answers is given up in time for the client of an upload, and no row names the archive', async () => {
    await failing(async ({ store, server }) => {
      const source = { kind: 'inline', bytes: archive } as const;
      const rows: unknown[] = [];
      const upload = (): Promise<number> =>
        ingestCode(server, undefined, source, async (code) => rows.push(code), undefined, 50);
      store.fault = () => true;
      await assert.rejects(upload(), unavailable);
      // Nor does it wait for another attempt after an error.
      store.fault = (_request, response) => {
        response.destroy();
        return true;
      };
      await assert.rejects(upload(), unavailable);
      assert.equal(rows.length, 0);
      assert.ok(storeMilliseconds < 55_000, 'clients of AWS send it again after 60 seconds');
      store.fault = undefined;
      await ingestCode(server, undefined, source, async (code) => rows.push(code));
      assert.equal(rows.length, 1);
    });
  });

  it('that answers without end is not read to the end', async () => {
    await withStore(async ({ store, bucket }) => {
      let written = 0;
      const endlessly = (status: number) => (_request: unknown, response: ServerResponse) => {
        const piece = Buffer.alloc(1024 * 1024, 'x');
        // Far more than a test may take, should nothing stop it.
        const more = (): void => {
          while (written < 200 && response.writable) {
            written += 1;
            if (!response.write(piece)) return void response.once('drain', more);
          }
          response.end();
        };
        response.writeHead(status, { 'content-type': 'application/xml' });
        more();
        return true;
      };
      for (const status of [200, 400]) {
        written = 0;
        store.fault = endlessly(status);
        await assert.rejects(bucket.check(), /over 8388608 bytes/);
        assert.ok(written < 100, `${status}: ${written} MiB`);
      }
      written = 0;
      store.fault = endlessly(400);
      await assert.rejects(bucket.getText('x'), /over 8388608 bytes/);
      assert.ok(written < 100, `${written} MiB`);
    });
  });

  it('whose list has no end is not listed for ever', async () => {
    await withStore(async ({ store, bucket }) => {
      store.fault = ({ query }, response) => {
        const next = query.get('continuation-token') === null ? 'first' : 'same';
        response.end(
          `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken></ListBucketResult>`,
        );
        return true;
      };
      await assert.rejects(Array.fromAsync(bucket.list('')), /does not end/);
      assert.equal(store.requests.length, 3);
    });
  });

  it('that has lost an archive says which one, in the log', async () => {
    await failing(async ({ store, server }) => {
      store.objects.clear();
      await assert.rejects(server.tree(sha256), (error: Error) => {
        assert.match(String(error.cause), new RegExp(`${sha256} is missing from the store`));
        return true;
      });
    });
  });

  it('with a damaged archive that is added refuses it', async () => {
    await withStore(async ({ bucket, folder, names }) => {
      const file = join(folder, 'file');
      await writeFile(file, 'another');
      await assert.rejects(bucket.put(`${sha256}.zip`, file, sha256), {
        name: 'XAmzContentSHA256Mismatch',
      });
      assert.deepEqual(names(), []);
    });
  });
});
