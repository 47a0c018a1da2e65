import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { openSockets } from './environment-sockets.ts';

describe('output of a program', () => {
  it('ends its connection and no more when reading it fails', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hob-sockets-'));
    const read: string[] = [];
    const sockets = await openSockets(folder, 'one', {
      runtime: (socket) => socket.destroy(),
      output: (bytes) => {
        read.push(Buffer.from(bytes).toString());
        throw new Error('Output of a test makes this fail.');
      },
      extensionOutput: undefined,
    });
    try {
      for (const text of ['one', 'two']) {
        const program = connect(sockets.output);
        program.on('error', () => {});
        program.write(text);
        await once(program, 'close');
      }
      assert.deepEqual(read, ['one', 'two']);
    } finally {
      await sockets.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
