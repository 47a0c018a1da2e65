import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';

import { GitError } from '../git-error.ts';
import { GitConnection } from './git-connection.ts';

describe('a transfer of a git process', () => {
  let git: Server;
  let connection: GitConnection;
  let respond: (response: ServerResponse) => void = () => {};
  before(async () => {
    git = createServer((_request, response) => respond(response)).listen(0, '127.0.0.1');
    await once(git, 'listening');
    const address = git.address();
    assert.ok(address !== null && typeof address === 'object');
    const dial = () => connect(address.port, '127.0.0.1');
    connection = new GitConnection(dial, async () => {});
  });
  after(() => {
    connection.close();
    git.closeAllConnections();
    git.close();
  });

  it('arrives', async () => {
    respond = (response) => response.end('refs');
    const stream = await connection.advertise(1, 'upload-pack', undefined);
    assert.equal(String(await buffer(stream)), 'refs');
  });

  for (const begun of ['', 'ref']) {
    it(`that breaks off after "${begun}" says that git is unavailable`, async () => {
      respond = (response) => {
        response.flushHeaders();
        if (begun !== '') response.write(begun);
        setImmediate(() => response.destroy());
      };
      const stream = await connection.advertise(1, 'upload-pack', undefined);
      await assert.rejects(
        buffer(stream),
        (error) => error instanceof GitError && error.kind === 'unavailable',
      );
    });
  }
});
