import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { type CodeFiles, openCodeFiles } from '../code/code-files.ts';
import { inTemporaryFolder, listed } from '../code/testing/temporary-folder.ts';
import { symbolicLink, zipOf } from '../code/testing/zip-of.ts';
import type { ZipContent } from '../code/testing/zip-of.ts';
import { openMergedLayers } from './merge-layers.ts';
import type { MergedLayers } from './merge-layers.ts';

interface Setup {
  readonly merged: MergedLayers;
  readonly mergedRoot: string;
  readonly take: (files: Record<string, ZipContent>) => Promise<string>;
  readonly tree: CodeFiles['tree'];
}

async function withLayers(work: (setup: Setup) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const files = await openCodeFiles(join(folder, 'code'));
    const mergedRoot = join(folder, 'merged');
    await work({
      merged: await openMergedLayers(mergedRoot, files),
      mergedRoot,
      tree: files.tree,
      take: (content) => files.ingest(zipOf(content), async ({ sha256 }) => sha256),
    });
  });
}

describe('merged layers', () => {
  it('lays later layers over earlier ones', async () => {
    await withLayers(async ({ merged, take }) => {
      const first = await take({ 'lib/a': 'first', 'lib/b': 'first', 'bin/x': 'x' });
      const second = await take({ 'lib/a': 'second', 'lib/c': { content: 'c', mode: 0o755 } });
      assert.deepEqual(await merged.use([first, second], listed), {
        bin: '/',
        'bin/x': 'x',
        lib: '/',
        'lib/a': 'second',
        'lib/b': 'first',
        'lib/c*': 'c',
      });
      const other = await merged.use([second, first], listed);
      assert.equal(other['lib/a'], 'first');
    });
  });

  it('replaces a link by a folder, never writing through it, and a folder by a file', async () => {
    await withLayers(async ({ merged, take, tree }) => {
      const first = await take({
        'real/a': 'a',
        lib: { content: 'real', mode: symbolicLink },
        'x/y/z': 'z',
      });
      const second = await take({ 'lib/b': 'b', x: 'file' });
      assert.deepEqual(await merged.use([first, second], listed), {
        real: '/',
        'real/a': 'a',
        lib: '/',
        'lib/b': 'b',
        x: 'file',
      });
      // What it was made of is as it was.
      assert.equal((await listed(await tree(first)))['x/y/z'], 'z');
    });
  });

  it('links what it can, and makes each list once', async () => {
    await withLayers(async ({ merged, mergedRoot, take, tree }) => {
      const layer = await take({ a: 'a' });
      const inode = await merged.use(
        [layer],
        async (folder) => (await stat(join(folder, 'a'))).ino,
      );
      assert.equal(inode, (await stat(join(await tree(layer), 'a'))).ino);
      await Promise.all([merged.use([layer], listed), merged.use([layer], listed)]);
      assert.equal((await readdir(mergedRoot)).length, 1);
    });
  });

  it('prunes what no list names', async () => {
    await withLayers(async ({ merged, take }) => {
      const layer = await take({ a: 'a' });
      await merged.use([layer], listed);
      await merged.use([layer, layer], listed);
      const prune = (): Promise<number> =>
        merged.prune(
          async () => [[layer]],
          (unnamed) => new Set(unnamed),
        );
      assert.equal(await prune(), 0, 'both were used just now');
      assert.equal(await prune(), 1);
      assert.equal(await prune(), 0);
    });
  });
});
