import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import {
  MalformedPacket,
  PacketSplitter,
  formatPacket,
  formatSideband,
  packetBytesMax,
  readPackets,
} from './pkt-line.ts';

suite('packets', () => {
  for (const text of ['zzzz', '0003', 'ffff', '-001', 'fff1']) {
    test(`refuse the length ${text}`, () => {
      const splitter = new PacketSplitter();
      splitter.push(Buffer.from(text));
      assert.throws(() => splitter.next(), MalformedPacket);
    });
  }

  test('are read in pieces of any size', () => {
    const message = Buffer.concat([formatPacket('one\n'), Buffer.from('0000'), formatPacket('')]);
    const splitter = new PacketSplitter();
    const read: string[] = [];
    for (const byte of message) {
      splitter.push(Buffer.from([byte]));
      for (let packet = splitter.next(); packet; packet = splitter.next()) {
        read.push(packet.kind === 'mark' ? 'mark' : packet.content.toString());
      }
    }
    assert.deepEqual(read, ['one\n', 'mark', '']);
    assert.equal(splitter.rest().length, 0);
  });

  test('end a message at the first mark', () => {
    const message = Buffer.concat([formatPacket('a'), Buffer.from('0000'), formatPacket('b')]);
    assert.deepEqual(readPackets(message).map(String), ['a']);
  });

  test('carry their length and band', () => {
    assert.equal(formatPacket('hi\n').toString(), '0007hi\n');
    assert.equal(formatSideband(2, Buffer.from('hi')).toString('latin1'), '0007\x02hi');
    assert.equal(packetBytesMax, 65_520);
  });
});
