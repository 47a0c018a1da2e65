import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';

import { zipName, type RawName } from './zip-name.ts';

const latin = Buffer.from([0x81, 0x2e, 0x70, 0x79]);

function name(bytes: Buffer, more: Partial<RawName> = {}): string {
  return zipName({ bytes, utf8: false, unix: false, unicodePath: undefined, ...more });
}

/** The Unicode Path extra field (APPNOTE 4.6.9). */
function unicodePath(text: string, of: Buffer, version = 1): Buffer {
  const head = Buffer.alloc(5);
  head[0] = version;
  head.writeUInt32LE(crc32(of), 1);
  return Buffer.concat([head, Buffer.from(text)]);
}

describe('the name of a zip entry', () => {
  test('is code page 437 without the flag', () => {
    assert.equal(name(Buffer.from('a/b.py')), 'a/b.py');
    assert.equal(name(latin), 'ü.py');
    assert.equal(name(Buffer.from([0x80, 0xe1, 0xfe, 0xff])), 'Çß■\u00A0');
  });

  test('is UTF-8 with the flag, or written on Unix', () => {
    const bytes = Buffer.from('é🦀.js');
    assert.equal(name(bytes, { utf8: true }), 'é🦀.js');
    assert.equal(name(bytes, { unix: true }), 'é🦀.js');
    assert.equal(name(Buffer.from('\uFEFFa'), { utf8: true }), '\uFEFFa', 'a mark is a part of it');
  });

  test('that is not UTF-8 is refused with the flag, and code page 437 on Unix', () => {
    assert.throws(() => name(latin, { utf8: true }), /not valid UTF-8/);
    assert.equal(name(latin, { unix: true }), 'ü.py');
  });

  test('is that of a Unicode Path field that belongs to it', () => {
    assert.equal(name(latin, { unicodePath: unicodePath('ü-ж.py', latin) }), 'ü-ж.py');
    const other = Buffer.from('other');
    for (const field of [
      unicodePath('x', other),
      unicodePath('x', latin, 2),
      Buffer.from([1, 2, 3]),
      Buffer.concat([unicodePath('', latin), Buffer.from([0xff])]),
    ]) {
      assert.equal(name(latin, { unicodePath: field }), 'ü.py');
    }
  });
});
