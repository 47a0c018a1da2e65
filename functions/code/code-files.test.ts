import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';

import { ArchiveRefusal } from './archives/archive-path.ts';
import { base64Digest, openCodeFiles, type StoredCode } from './code-files.ts';
import { inTemporaryFolder, listed } from './testing/temporary-folder.ts';
import { zipOf } from './testing/zip-of.ts';

const archive = zipOf({ 'index.js': 'exports', 'lib/a.js': 'a' });
const sha256 = createHash('sha256').update(archive).digest('hex');
const same = async (code: StoredCode): Promise<StoredCode> => code;
const keepNothing = async (): Promise<ReadonlySet<string>> => new Set();

describe('code files', () => {
  it('leaves nothing behind of what it refuses', async () => {
    await inTemporaryFolder(async (root) => {
      const files = await openCodeFiles(root);
      await assert.rejects(files.ingest(Buffer.from('no zip'), same), ArchiveRefusal);
      await assert.rejects(files.ingest(archive.subarray(0, 50), same), ArchiveRefusal);
      assert.deepEqual(await readdir(root), []);
    });
  });

  it('refuses an archive that is itself too large before it is all there', async () => {
    await inTemporaryFolder(async (root) => {
      const files = await openCodeFiles(root, { limits: { entriesMax: 10, bytesMax: 100 } });
      let given = 0;
      async function* endless(): AsyncGenerator<Buffer> {
        for (;;) {
          given += 1;
          yield Buffer.alloc(60);
        }
      }
      await assert.rejects(files.ingest(endless(), same), { kind: 'too-large' });
      assert.equal(given, 2);
    });
  });

  it('keeps the archive next to what it unpacks to', async () => {
    await inTemporaryFolder(async (root) => {
      const files = await openCodeFiles(root);
      const code = await files.ingest(archive, same);
      assert.deepEqual(code, { sha256, size: archive.length, unzippedSize: 8 });
      assert.equal(base64Digest(sha256), createHash('sha256').update(archive).digest('base64'));
      assert.deepEqual(await buffer(await files.openArchive(sha256)), archive);
      assert.deepEqual(await listed(await files.tree(sha256)), {
        'index.js': 'exports',
        lib: '/',
        'lib/a.js': 'a',
      });
      assert.deepEqual(await readdir(root), [sha256]);
    });
  });

  it('takes the same archive again, and twice at once', async () => {
    await inTemporaryFolder(async (root) => {
      const files = await openCodeFiles(root);
      const codes = await Promise.all([files.ingest(archive, same), files.ingest(archive, same)]);
      assert.deepEqual(codes[0], codes[1]);
      assert.deepEqual(await files.ingest(archive, same), codes[0]);
      assert.deepEqual(await readdir(root), [sha256]);
    });
  });

  it('clears away what a killed server left half made', async () => {
    await inTemporaryFolder(async (root) => {
      await mkdir(join(root, 'new-abc'));
      await writeFile(join(root, 'new-abc', 'archive.zip'), 'half');
      await openCodeFiles(root);
      assert.deepEqual(await readdir(root), []);
    });
  });

  it('prunes what no row names', async () => {
    await inTemporaryFolder(async (root) => {
      const files = await openCodeFiles(root);
      await files.ingest(archive, same);
      assert.equal(await files.prune(async () => new Set([sha256])), 0);
      assert.equal(await files.prune(keepNothing), 1);
      assert.deepEqual(await readdir(root), []);
      await files.ingest(archive, same);
      assert.deepEqual(await readdir(root), [sha256]);
    });
  });

  it('does not prune what is being taken', async () => {
    await inTemporaryFolder(async (root) => {
      const files = await openCodeFiles(root);
      await files.ingest(archive, async () => {
        assert.equal(await files.prune(keepNothing), 0);
      });
      assert.deepEqual(await readdir(root), [sha256]);
    });
  });

  it('does not prune what was taken after it was given the list to keep', async () => {
    await inTemporaryFolder(async (root) => {
      const files = await openCodeFiles(root);
      await files.ingest(archive, same);
      const pruned = await files.prune(async () => {
        await files.ingest(archive, same);
        return new Set();
      });
      assert.equal(pruned, 0);
      assert.deepEqual(await readdir(root), [sha256]);
    });
  });

  it('reports that an archive is not there before it answers', async () => {
    await inTemporaryFolder(async (root) => {
      const files = await openCodeFiles(root);
      await assert.rejects(files.openArchive(sha256), { code: 'ENOENT' });
      await assert.rejects(files.tree('../x'), /no name/);
    });
  });
});
