import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { suite, test } from 'node:test';

import { noObject } from '../names.ts';
import type { ObjectId } from '../names.ts';
import { flushPacket, formatPacket } from '../format/pkt-line.ts';
import type { BridgeOptions } from '../testing/http-bridge.ts';
import { realGit, tryGit } from '../testing/real-git.ts';
import { staleFiles, packOf, servePushes } from '../testing/served-pushes.ts';
import { refName, useTestGit } from '../testing/test-git.ts';

const options = { protocol: undefined, refused: new Map<string, string>(), packBytesMax: 1e9 };

suite('receive-pack', () => {
  const testGit = useTestGit();
  const served = (bridgeOptions?: BridgeOptions) => servePushes(testGit, bridgeOptions);

  test('moves nothing when the client breaks off in its pack', { timeout: 20_000 }, async () => {
    const { repository, work, first, second, path } = await served();
    const pack = await packOf(work, second, first);
    const request = new Readable({ read() {} });
    const push = repository.receivePack(request, options);
    push.output.resume();
    request.push(
      Buffer.concat([
        formatPacket(`${first} ${second} refs/heads/main\0report-status side-band-64k`),
        flushPacket,
        pack.subarray(0, pack.length - 30),
      ]),
    );
    setImmediate(() => request.destroy(new Error('the client is gone')));
    assert.deepEqual(await push.completed, []);
    assert.equal(await repository.readRef(refName('refs/heads/main')), first);
    assert.deepEqual(await staleFiles(path), []);
  });

  test('moves nothing when the client breaks off in its list', { timeout: 20_000 }, async () => {
    const { repository, first, second } = await served();
    const request = new Readable({ read() {} });
    const push = repository.receivePack(request, options);
    push.output.resume();
    request.push(formatPacket(`${first} ${second} refs/heads/main\0report-status`));
    setImmediate(() => request.destroy(new Error('the client is gone')));
    assert.deepEqual(await push.completed, []);
  });

  test('completes although the client never reads its response', { timeout: 20_000 }, async () => {
    const { repository, work, first, second } = await served();
    const body = Buffer.concat([
      formatPacket(`${first} ${second} refs/heads/main\0report-status side-band-64k`),
      flushPacket,
      await packOf(work, second, first),
    ]);
    const push = repository.receivePack(Readable.from([body]), options);
    push.output.destroy();
    const moves = await push.completed;
    assert.deepEqual({ ...moves[0] }, { ref: 'refs/heads/main', old: first, new: second });
  });

  test('fails for a repository that does not exist', async () => {
    const push = testGit.git.repository(999_999).receivePack(Readable.from([flushPacket]), options);
    push.output.on('error', () => {});
    await assert.rejects(push.completed, { kind: 'missing-repository' });
  });

  test('creates, moves and deletes, and reports to the client only when it is recorded', async () => {
    let recorded = false;
    let clientDone = false;
    const { bridge, pushOver, first, second, path } = await served({
      record() {
        assert.equal(clientDone, false);
        recorded = true;
      },
    });
    const created = await pushOver('HEAD:main', `${first}:refs/heads/old`);
    clientDone = true;
    assert.equal(created.status, 0, created.errors);
    assert.equal(recorded, true);
    clientDone = false;
    const deleted = await pushOver(':old', `+${first}:main`);
    assert.equal(deleted.status, 0, deleted.errors);
    const pushes = await Promise.all(bridge.pushes);
    assert.deepEqual(
      pushes.map((moves) => moves.map((move) => ({ ...move }))),
      [
        [
          { ref: 'refs/heads/main', old: first, new: second },
          { ref: 'refs/heads/old', old: noObject, new: first },
        ],
        [
          { ref: 'refs/heads/main', old: second, new: first },
          { ref: 'refs/heads/old', old: first, new: noObject },
        ],
      ],
    );
    assert.deepEqual(await staleFiles(path), []);
  });

  test('never reports a push that could not be recorded', async () => {
    const { pushOver } = await served({
      record() {
        throw new Error('the database is gone');
      },
    });
    const result = await pushOver('HEAD:main');
    assert.notEqual(result.status, 0);
    assert.doesNotMatch(result.errors, /main -> main/);
  });

  test('answers clients without side band or report', async () => {
    const { repository, work, first, second } = await served();
    const pack = await packOf(work, second, first);
    const send = async (capabilities: string, name: string) => {
      const body = [
        formatPacket(`${noObject} ${second} ${name}\0${capabilities}`),
        flushPacket,
        pack,
      ];
      const push = repository.receivePack(Readable.from(body), options);
      const response = buffer(push.output);
      const moves = await push.completed;
      push.acknowledge();
      return { moves, text: (await response).toString() };
    };
    const plain = await send('report-status', 'refs/heads/plain');
    assert.equal(plain.moves.length, 1);
    assert.equal(plain.text, '000eunpack ok\n0018ok refs/heads/plain\n0000');
    const silent = await send('', 'refs/heads/silent');
    assert.equal(silent.moves.length, 1);
    assert.equal(silent.text, '');
    const refused = await send('', 'refs/pull/1/x');
    assert.equal(refused.moves.length, 0);
  });

  test('has one winner among pushes of one ref', async () => {
    const { repository, bridge, work, first, commit } = await served();
    const tips: ObjectId[] = [];
    for (let index = 0; index < 4; index += 1) {
      await realGit(work, ['checkout', '-q', '-B', `try-${index}`, first]);
      await writeFile(join(work, 'file'), `try ${index}\n`);
      tips.push(await commit(`try ${index}`));
    }
    const lease = `--force-with-lease=main:${first}`;
    const results = await Promise.all(
      tips.map((tip) => tryGit(work, ['push', lease, bridge.url, `${tip}:main`])),
    );
    const won = tips.filter((_, index) => results[index]?.status === 0);
    assert.equal(won.length, 1);
    assert.equal(await repository.readRef(refName('refs/heads/main')), won[0]);
    const moves = (await Promise.all(bridge.pushes)).flat();
    assert.equal(moves.length, 1);
  });

  test('takes names with odd characters as they are', async () => {
    const { pushOver, repository, second } = await served();
    const names = [
      '$(id)',
      ';id',
      '`id`',
      '<script>',
      '%2e%2e',
      'ünï',
      'a"b',
      "it's",
      'a/-b',
      '!',
      '(',
    ];
    const result = await pushOver(...names.map((name) => `HEAD:refs/heads/odd/${name}`));
    assert.equal(result.status, 0, result.errors);
    for (const name of names) {
      assert.equal(await repository.readRef(refName(`refs/heads/odd/${name}`)), second, name);
    }
  });

  test('leaves no marker of a writer behind', async () => {
    const { bridge, pushOver } = await served({ refused: new Map([['refs/heads/x', 'No.']]) });
    await pushOver('HEAD:x', 'HEAD:y');
    await Promise.all(bridge.pushes);
    assert.deepEqual(await readdir(testGit.state.paths.busy), []);
    assert.deepEqual(await readdir(testGit.state.paths.arriving), []);
  });
});
