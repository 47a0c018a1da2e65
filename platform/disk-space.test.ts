import assert from 'node:assert/strict';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';

import { withDiskSpace } from './disk-space.ts';
import { storageFailure } from './storage-failure.ts';

describe('space that is left to everything else on a file system', () => {
  const write = (bytes: number, work: () => Promise<string>): Promise<string> =>
    withDiskSpace(tmpdir(), { bytes, files: 1 }, work);

  async function freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(tmpdir());
    return bavail * bsize;
  }

  const isFull = (error: unknown): boolean => storageFailure(error) === 'disk-full';

  it('is not taken, and what would take it is not begun', async () => {
    let begun = false;
    const writing = write(await freeBytes(), async () => {
      begun = true;
      return 'written';
    });
    await assert.rejects(writing, isFull);
    assert.equal(begun, false);
    assert.equal(await write(1, async () => 'written'), 'written');
  });

  it('is not taken by several together', async () => {
    const most = Math.floor((await freeBytes()) * 0.6);
    const begun = Promise.withResolvers<void>();
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = write(most, () => {
      begun.resolve();
      return promise;
    });
    await begun.promise;
    await assert.rejects(
      write(most, async () => 'written'),
      isFull,
    );
    resolve('written');
    assert.equal(await first, 'written');
    assert.equal(await write(most, async () => 'written'), 'written');
  });
});
