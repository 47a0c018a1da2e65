import assert from 'node:assert/strict';
import { readdir, realpath, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { ArchiveRefusal, type ArchiveFault } from '../archives/archive-path.ts';
import { inTemporaryFolder, listed, walk } from '../testing/temporary-folder.ts';
import { symbolicLink, zipOf } from '../testing/zip-of.ts';
import { unzip } from './unzip.ts';

const limits = { entriesMax: 50, bytesMax: 1_000_000 };

async function refusalOf(archive: Uint8Array, own = limits): Promise<ArchiveRefusal> {
  return inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, 'archive'), archive);
    try {
      await unzip(join(folder, 'archive'), join(folder, 'tree'), own);
    } catch (error) {
      if (error instanceof ArchiveRefusal) return error;
      throw error;
    }
    return assert.fail('it was unpacked');
  });
}

async function unpacked(archive: Uint8Array): Promise<Record<string, string>> {
  return inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, 'archive'), archive);
    await unzip(join(folder, 'archive'), join(folder, 'tree'), limits);
    return listed(join(folder, 'tree'));
  });
}

/** The same entry again in the directory, with its bytes shared. */
function quoted(): Buffer {
  const archive = zipOf({ 'a.txt': 'x'.repeat(1000), 'b.txt': 'y' });
  const second = archive.lastIndexOf(Buffer.from('b.txt'));
  archive.writeUInt32LE(0, second - 46 + 42);
  return archive;
}

function patched(archive: Buffer, change: (bytes: Buffer) => void): Buffer {
  change(archive);
  return archive;
}

const directoryOf = (archive: Buffer): number => archive.readUInt32LE(archive.length - 6);

describe('unzip', () => {
  const refusals: Record<string, { archive: () => Buffer; fault: ArchiveFault; says: RegExp }> = {
    'no archive at all': {
      archive: () => Buffer.from('this is not a zip'),
      fault: 'damaged',
      says: /not a zip/,
    },
    'an empty file': { archive: () => Buffer.alloc(0), fault: 'damaged', says: /not a zip/ },
    'a parent folder': {
      archive: () => zipOf({ '../out.txt': 'x' }),
      fault: 'forbidden',
      says: /leads out/,
    },
    'a parent folder in the middle': {
      archive: () => zipOf({ 'a/../../out.txt': 'x' }),
      fault: 'forbidden',
      says: /leads out/,
    },
    'an absolute path': {
      archive: () => zipOf({ '/etc/passwd': 'x' }),
      fault: 'forbidden',
      says: /absolute/,
    },
    'a backslash': {
      archive: () => zipOf({ '..\\out.txt': 'x' }),
      fault: 'forbidden',
      says: /backslash/,
    },
    'a drive': { archive: () => zipOf({ 'C:out.txt': 'x' }), fault: 'forbidden', says: /drive/ },
    'a null character': {
      archive: () => zipOf({ 'a\0b': 'x' }),
      fault: 'forbidden',
      says: /null/,
    },
    'a long name': {
      archive: () => zipOf({ ['a'.repeat(256)]: 'x' }),
      fault: 'forbidden',
      says: /255 bytes/,
    },
    'a long path': {
      archive: () => zipOf({ ['abcdefghijklmnopqrstuvwxyz/'.repeat(90) + 'x']: 'x' }),
      fault: 'forbidden',
      says: /2048 bytes/,
    },
    'deep folders': {
      archive: () => zipOf({ ['a/'.repeat(101)]: '' }),
      fault: 'forbidden',
      says: /folders deep/,
    },
    'a link out': {
      archive: () => zipOf({ 'a/link': { content: '../../x', mode: symbolicLink } }),
      fault: 'forbidden',
      says: /leads out/,
    },
    'an absolute link': {
      archive: () => zipOf({ link: { content: '/etc', mode: symbolicLink } }),
      fault: 'forbidden',
      says: /leads out/,
    },
    'a link out through another link': {
      archive: () =>
        zipOf({
          here: { content: '.', mode: symbolicLink },
          out: { content: 'here/..', mode: symbolicLink },
        }),
      fault: 'forbidden',
      says: /leads out/,
    },
    'a file through a link': {
      archive: () =>
        zipOf({ link: { content: 'a', mode: symbolicLink }, 'a/': '', 'link/file': 'x' }),
      fault: 'forbidden',
      says: /different types/,
    },
    'a device': {
      archive: () => zipOf({ null: { content: '', mode: 0o020666 } }),
      fault: 'forbidden',
      says: /neither a file/,
    },
    'a file that is a folder too': {
      archive: () => zipOf({ a: 'x', 'a/b': 'y' }),
      fault: 'forbidden',
      says: /different types/,
    },
    'a folder that is a file too': {
      archive: () => zipOf({ 'a/b': 'y', a: 'x' }),
      fault: 'forbidden',
      says: /different types/,
    },
    'an encrypted entry': {
      archive: () => zipOf({ a: { content: 'x', flags: 1 } }),
      fault: 'forbidden',
      says: /encrypted/,
    },
    'another compression': {
      archive: () =>
        patched(zipOf({ a: 'x' }), (bytes) => bytes.writeUInt16LE(12, directoryOf(bytes) + 10)),
      fault: 'forbidden',
      says: /method 12/,
    },
    'entries that share bytes': { archive: quoted, fault: 'forbidden', says: /overlap/ },
    'too many entries': {
      archive: () => zipOf(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, '']))),
      fault: 'forbidden',
      says: /more than 50 entries/,
    },
    'too many folders': {
      archive: () => zipOf({ [`${'a/'.repeat(40)}x`]: '', [`${'b/'.repeat(40)}x`]: '' }),
      fault: 'forbidden',
      says: /more than 50 folders/,
    },
    'too much content': {
      archive: () => zipOf({ a: Buffer.alloc(600_000), b: Buffer.alloc(600_000) }),
      fault: 'too-large',
      says: /1200000 bytes/,
    },
    'more content than declared': {
      archive: () =>
        patched(zipOf({ a: Buffer.alloc(900_000) }), (bytes) =>
          bytes.writeUInt32LE(100_000, directoryOf(bytes) + 24),
        ),
      fault: 'damaged',
      says: /"a" is damaged/,
    },
    'more content than declared, little of it': {
      archive: () =>
        patched(zipOf({ a: Buffer.alloc(900_000) }), (bytes) =>
          bytes.writeUInt32LE(0, directoryOf(bytes) + 24),
        ),
      fault: 'damaged',
      says: /"a" is damaged/,
    },
    'a wrong checksum': {
      archive: () =>
        patched(zipOf({ a: 'x' }), (bytes) => bytes.writeUInt32LE(1, directoryOf(bytes) + 16)),
      fault: 'damaged',
      says: /"a" is damaged/,
    },
    'a wrong checksum of a large file': {
      archive: () =>
        patched(zipOf({ a: { content: Buffer.alloc(100_000), method: 'stored' } }), (bytes) =>
          bytes.writeUInt32LE(1, directoryOf(bytes) + 16),
        ),
      fault: 'damaged',
      says: /"a" is damaged/,
    },
    'another name in the local header': {
      archive: () => patched(zipOf({ a: 'x' }), (bytes) => bytes.write('b', 30)),
      fault: 'damaged',
      says: /"a" is damaged/,
    },
    'a name that is not UTF-8 as it says': {
      archive: () => zipOf({ a: { content: 'x', rawName: Buffer.from([0xff, 0xfe]) } }),
      fault: 'damaged',
      says: /not valid UTF-8/,
    },
    'a terminal command in a name': {
      archive: () => zipOf({ '../\u001b[2J': 'x' }),
      fault: 'forbidden',
      says: /"\.\.\/\\u001b\[2J"/,
    },
  };
  for (const [what, { archive, fault, says }] of Object.entries(refusals)) {
    it(`refuses ${what}`, async () => {
      const refusal = await refusalOf(archive());
      assert.equal(refusal.kind, fault);
      assert.match(refusal.message, says);
    });
  }

  it('unpacks files, folders, links and modes', async () => {
    const archive = zipOf({
      'empty/': '',
      'index.js': 'exports',
      './lib//deep/a.txt': { content: 'stored', method: 'stored' },
      bootstrap: { content: '#!/bin/sh', mode: 0o100700 },
      'lib/link': { content: '../index.js', mode: symbolicLink },
      'lib/here': { content: 'deep/a.txt', mode: symbolicLink },
      streamed: { content: 's', descriptor: true },
      long: { content: 'l', zip64: true },
      'größe.txt': 'ü',
      nothing: '',
    });
    assert.deepEqual(await unpacked(archive), {
      empty: '/',
      'index.js': 'exports',
      lib: '/',
      'lib/deep': '/',
      'lib/deep/a.txt': 'stored',
      'bootstrap*': '#!/bin/sh',
      'lib/link': '-> ../index.js',
      'lib/here': '-> deep/a.txt',
      streamed: 's',
      long: 'l',
      'größe.txt': 'ü',
      nothing: '',
    });
  });

  it('unpacks large entries in pieces', async () => {
    const text = 'abcdefghij'.repeat(40_000);
    const archive = zipOf({ deflated: text, stored: { content: text, method: 'stored' } });
    assert.deepEqual(await unpacked(archive), { deflated: text, stored: text });
  });

  it('reads names of code page 437, and those that Unix tools write without the flag', async () => {
    const plain = { content: '', flags: 0 };
    const names = await unpacked(
      zipOf({
        dos: { ...plain, madeBy: 0, rawName: Buffer.from([0x84, 0x2e, 0x61]) },
        unix: { ...plain, rawName: Buffer.from('ä.b') },
        oldUnix: { ...plain, rawName: Buffer.from([0x94]) },
      }),
    );
    assert.deepEqual(Object.keys(names).toSorted(), ['ä.a', 'ä.b', 'ö'].toSorted());
  });

  it('takes the later of two files with one name', async () => {
    const archive = zipOf([
      ['a', 'first'],
      ['a', 'second'],
    ]);
    assert.deepEqual(await unpacked(archive), { a: 'second' });
  });

  it('makes everything readable for every user, and keeps the time of the last change', async () => {
    await inTemporaryFolder(async (folder) => {
      const archive = zipOf({
        'a/b': { content: 'x', mode: 0o100600, modified: 1_600_000_000 },
        'a/c': { content: 'x', mode: 0o104755 },
      });
      await writeFile(join(folder, 'archive'), archive);
      const size = await unzip(join(folder, 'archive'), join(folder, 'tree'), limits);
      assert.equal(size, 2);
      assert.equal((await stat(join(folder, 'tree'))).mode & 0o7777, 0o755);
      assert.equal((await stat(join(folder, 'tree/a'))).mode & 0o7777, 0o755);
      assert.equal((await stat(join(folder, 'tree/a/b'))).mode & 0o7777, 0o644);
      assert.equal((await stat(join(folder, 'tree/a/b'))).mtimeMs, 1_600_000_000_000);
      assert.equal((await stat(join(folder, 'tree/a/c'))).mode & 0o7777, 0o755);
    });
  });

  it('never writes outside and never fails otherwise, whatever was changed in an archive', async () => {
    const valid = zipOf({
      'a/b.txt': 'some text that deflates deflates deflates',
      'a/link': { content: 'b.txt', mode: symbolicLink },
      c: { content: 'stored', method: 'stored', modified: 1 },
      d: { content: 'x', zip64: true },
      e: { content: 'y', descriptor: true },
    });
    const change = fc.record({
      at: fc.nat(valid.length - 1),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const archive = Buffer.from(valid);
        for (const { at, bytes } of changes) archive.set(bytes.slice(0, archive.length - at), at);
        await unpackedSafely(archive);
      }),
      { numRuns: 300 },
    );
  });

  it('never writes outside, whatever the names', async () => {
    const part = fc.constantFrom('..', '.', '', 'a', 'b', '\\', 'C:', 'a\0');
    const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const entry = fc.tuple(
      name,
      fc.oneof(
        fc.constant('content'),
        name.map((target) => ({ content: target, mode: symbolicLink })),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 4 }), async (entries) => {
        await unpackedSafely(zipOf(entries));
      }),
      { numRuns: 300 },
    );
  });

  it('does other work between links', async () => {
    const target = `${'a/'.repeat(1000)}b`;
    const links = Array.from({ length: 5000 }, (_each, index) => [
      `link-${index}`,
      // The last one is refused, so that none of them is made.
      { content: index < 4999 ? target : '/', mode: symbolicLink },
    ]);
    const archive = zipOf(Object.fromEntries(links));
    let looked = performance.now();
    let longest = 0;
    const began = looked;
    const look = (): void => {
      longest = Math.max(longest, performance.now() - looked);
      looked = performance.now();
      looking = setImmediate(look);
    };
    let looking = setImmediate(look);
    const { message } = await refusalOf(archive, { entriesMax: 5000, bytesMax: 100_000_000 });
    clearImmediate(looking);
    longest = Math.max(longest, performance.now() - looked);
    assert.match(message, /leads outside/);
    const took = performance.now() - began;
    assert.ok(longest < took / 2, `${longest} of ${took} milliseconds`);
  });
});

/** Unpacks, or is refused; in both cases nothing is next to the tree, and every link in it stays inside. */
async function unpackedSafely(archive: Buffer): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, 'archive'), archive);
    try {
      await unzip(join(folder, 'archive'), join(folder, 'tree'), limits);
    } catch (error) {
      assert.ok(error instanceof ArchiveRefusal, String(error));
    }
    const others = (await readdir(folder)).filter((name) => name !== 'archive' && name !== 'tree');
    assert.deepEqual(others, []);
    await assertLinksInside(join(folder, 'tree'));
  });
}

/** By asking the system where each link leads; one that leads nowhere is harmless. */
async function assertLinksInside(tree: string): Promise<void> {
  if (!(await readdir(join(tree, '..'))).includes('tree')) return;
  for await (const found of walk(tree, '')) {
    if (found.kind !== 'link') continue;
    const end = await realpath(found.path).catch(() => tree);
    assert.ok(end === tree || end.startsWith(`${tree}/`), `${found.name} leads to ${end}`);
  }
}
