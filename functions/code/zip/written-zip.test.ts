import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { lstat, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { writeZip, type ZipFile } from '#platform/zip/write-zip.ts';

import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import { unzip } from './unzip.ts';

const limits = { entriesMax: 50, bytesMax: 1_000_000 };
const large = Buffer.from('a line of a large file, again and again\n'.repeat(10_000));

async function* pieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

function filesOf(pieceLength: number): readonly ZipFile[] {
  return [
    { path: 'a/läuft.sh', kind: 'executable', content: Buffer.from('#!/bin/sh') },
    { path: 'a/link', kind: 'link', content: Buffer.from('../large') },
    { path: 'empty', kind: 'file', content: new Uint8Array() },
    { path: 'large', kind: 'file', content: pieces(large, pieceLength) },
    { path: 'module', kind: 'folder', content: new Uint8Array() },
  ];
}

async function archiveOf(files: readonly ZipFile[]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(writeZip(files)));
}

describe('a zip archive that this program writes', () => {
  it('fails when a file cannot be read to its end', async () => {
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield large;
      throw new Error('The disk is gone.');
    }
    const file = { path: 'large', kind: 'file', content: breaking() } as const;
    await assert.rejects(archiveOf([file]), /The disk is gone/);
  });

  it('closes what it reads when nobody reads it to its end', async () => {
    let closed = false;
    const { promise, resolve } = Promise.withResolvers<void>();
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (let serial = 0; ; serial += 1) yield createHash('sha512').update(`${serial}`).digest();
      } finally {
        closed = true;
        resolve();
      }
    }
    let read = 0;
    for await (const _ of writeZip([{ path: 'large', kind: 'file', content: endless() }])) {
      read += 1;
      if (read === 3) break;
    }
    await promise;
    assert.ok(closed);
  });

  it('is unpacked with its links, modes, folders and contents', async () => {
    await inTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'archive'), await archiveOf(filesOf(100_000)));
      const size = await unzip(join(folder, 'archive'), join(folder, 'tree'), limits);
      assert.ok(size >= large.length);
      const at = (path: string): string => join(folder, 'tree', path);
      assert.deepEqual(await readFile(at('large')), large);
      assert.equal(await readFile(at('empty'), 'utf8'), '');
      assert.equal(await readlink(at('a/link')), '../large');
      assert.ok((await lstat(at('a/läuft.sh'))).mode & 0o100);
      assert.ok(!((await lstat(at('large'))).mode & 0o100));
      assert.ok((await lstat(at('module'))).isDirectory());
    });
  });

  it('is the same however the content arrives', async () => {
    const one = await archiveOf(filesOf(100_000));
    assert.ok(one.equals(await archiveOf(filesOf(777))));
    const whole: ZipFile[] = [{ path: 'large', kind: 'file', content: large }];
    const inPieces: ZipFile[] = [{ path: 'large', kind: 'file', content: pieces(large, 1000) }];
    assert.ok((await archiveOf(whole)).equals(await archiveOf(inPieces)));
  });
});
