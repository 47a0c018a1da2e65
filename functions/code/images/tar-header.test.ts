import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { blockBytes, readHeader } from './tar-header.ts';

/** A header in the ustar format, with its checksum. */
function header(fields: Readonly<Record<number, string | Buffer>>): Buffer {
  const block = Buffer.alloc(blockBytes);
  block.write('ustar\x0000', 257, 'latin1');
  for (const [at, field] of Object.entries(fields)) Buffer.from(field).copy(block, Number(at));
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

const file = {
  0: 'bin/run',
  100: '0000755\0',
  124: '00000000012\0',
  136: '14000000000\0',
  156: '0',
};

describe('the header of an entry of a tar archive', () => {
  test('has octal numbers and texts up to a zero', () => {
    assert.deepEqual(readHeader(header(file)), {
      name: 'bin/run',
      type: '0',
      target: '',
      mode: 0o755,
      size: 10,
      modified: 0o14000000000,
    });
  });

  test('has a prefix before its name in the ustar format only', () => {
    const prefixed = { ...file, 345: 'usr/local' };
    assert.equal(readHeader(header(prefixed))?.name, 'usr/local/bin/run');
    assert.equal(readHeader(header({ ...prefixed, 257: 'ustar  \0' }))?.name, 'bin/run');
  });

  test('has binary numbers where the highest bit is set', () => {
    const size = Buffer.alloc(12);
    size[0] = 0x80;
    size.writeBigUInt64BE(2n ** 33n, 4);
    assert.equal(readHeader(header({ ...file, 124: size }))?.size, 2 ** 33);
    assert.throws(() => readHeader(header({ ...file, 124: Buffer.alloc(12, 0xff) })), /not a tar/);
  });

  test('is the end of the archive when it is all zeros', () => {
    assert.equal(readHeader(Buffer.alloc(blockBytes)), undefined);
  });

  test('is refused when it is damaged', () => {
    const block = header(file);
    block[0] = 0x42;
    assert.throws(() => readHeader(block), /not a tar archive/);
    assert.throws(() => readHeader(header({ ...file, 124: '00000000089\0' })), /not a tar archive/);
    assert.throws(() => readHeader(header({ ...file, 124: '-0000000001\0' })), /not a tar archive/);
  });
});
