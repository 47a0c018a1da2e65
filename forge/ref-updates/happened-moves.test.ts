import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';

import { flushPacket, formatPacket } from '../git/format/pkt-line.ts';
import type { GitRepository } from '../git/git.ts';
import { noObject } from '../git/names.ts';
import { connectGit } from '../git/process/git-client.ts';
import type { RefMove } from '../git/ref-update.ts';
import { packOf } from '../git/testing/served-pushes.ts';
import { refName, type TestRepository, useTestGit } from '../git/testing/test-git.ts';
import { movesThatHappened } from './happened-moves.ts';

suite('a move of a ref that git is at when the connection breaks', { timeout: 60_000 }, () => {
  const testGit = useTestGit();
  const topic = refName('refs/heads/topic');

  interface Begun {
    readonly move: RefMove;
    /** Of a server that asks for the move. */
    readonly begin: (repository: GitRepository) => Promise<unknown>;
    /** Whether git has been asked to make it. */
    readonly hasBegun: () => Promise<boolean>;
  }

  /** git waits for a lock of another writer meanwhile. */
  async function requireSeen(
    { repository, id, path }: TestRepository,
    { move, begin, hasBegun }: Begun,
  ): Promise<void> {
    const sockets: Socket[] = [];
    const client = connectGit(() => {
      const socket = connect(testGit.socketPath);
      sockets.push(socket);
      return socket;
    });
    const lock = join(path, 'refs/heads/topic.lock');
    await writeFile(lock, '');
    const broken = assert.rejects(begin(client.repository(id)), { kind: 'unavailable' });
    while (!(await hasBegun())) await new Promise(setImmediate);
    for (const socket of sockets) socket.destroy();
    await broken;
    const judged = movesThatHappened(repository, [move], []);
    assert.equal(await repository.readRef(topic), undefined);
    await rm(lock);
    assert.deepEqual(await judged, [move]);
    assert.equal(await repository.readRef(topic), move.new);
    await client.close();
  }

  test('is seen', async () => {
    const made = await testGit.newRepository();
    const first = await made.commit('one');
    await made.push('main');
    const move = { ref: topic, old: noObject, new: first };
    await requireSeen(made, {
      move,
      begin: (repository) => repository.updateRefs([move]),
      hasBegun: async () => (await readdir(testGit.state.paths.busy)).includes(String(made.id)),
    });
  });

  test('is seen where it is of a push', async () => {
    const made = await testGit.newRepository();
    const first = await made.commit('one');
    await made.push('main');
    const second = await made.commit('two');
    const body = Buffer.concat([
      formatPacket(`${noObject} ${second} ${topic}\0report-status`),
      flushPacket,
      await packOf(made.work, second, first),
    ]);
    const options = { protocol: undefined, refused: new Map<string, string>(), packBytesMax: 1e9 };
    await requireSeen(made, {
      move: { ref: topic, old: noObject, new: second },
      begin: (repository) =>
        repository.receivePack(Readable.from([body]), options, async () => undefined).completed,
      // Its objects are in the repository once it may move refs.
      hasBegun: async () => (await made.repository.objectInfo(second)) !== undefined,
    });
  });
});
