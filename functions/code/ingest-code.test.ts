import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';

import { present } from '#platform/present.ts';

import { openCodeFiles } from './code-files.ts';
import type { UnzipLimits } from './zip/unzip.ts';
import { ingestCode, unzippedSizeRefusal } from './ingest-code.ts';
import { inTemporaryFolder } from './testing/temporary-folder.ts';
import { zipOf } from './testing/zip-of.ts';

const notUnzipped =
  'Could not unzip uploaded file. Please check your file, then try to upload again.';
const tooLarge = 'Unzipped size must be smaller than 262144000 bytes';

async function refused(bytes: Uint8Array, message: string, limits?: UnzipLimits): Promise<void> {
  await inTemporaryFolder(async (root) => {
    const files = await openCodeFiles(root, present({ limits }));
    await assert.rejects(
      ingestCode(files, undefined, { kind: 'inline', bytes }, async () => undefined),
      { name: 'FunctionsError', code: 'InvalidParameterValueException', message },
    );
    assert.deepEqual(await readdir(root), []);
  });
}

describe('the code of a request', () => {
  it('is refused with the recorded message', async () => {
    await refused(Buffer.from('not a zip'), notUnzipped);
    await refused(zipOf({ a: Buffer.alloc(2000) }), tooLarge, { entriesMax: 10, bytesMax: 1000 });
  });

  it('is refused with a reason where the recorded message would not help', async () => {
    await refused(
      zipOf({ '../a': '' }),
      `${notUnzipped} Entry "../a" leads outside of the archive.`,
    );
  });

  it('counts together with its layers', () => {
    assert.equal(unzippedSizeRefusal([200_000_000, 62_144_000]), undefined);
    assert.equal(unzippedSizeRefusal([200_000_000, 62_144_001])?.message, tooLarge);
  });

  it('is lent with what is known of it, and other failures stay what they are', async () => {
    await inTemporaryFolder(async (root) => {
      const files = await openCodeFiles(root);
      const source = { kind: 'inline', bytes: zipOf({ a: 'abc' }) } as const;
      assert.equal(
        await ingestCode(files, undefined, source, async (code) => code.unzippedSize),
        3,
      );
      const broken = new Error('the database is gone');
      await assert.rejects(
        ingestCode(files, undefined, source, () => Promise.reject(broken)),
        broken,
      );
    });
  });
});
