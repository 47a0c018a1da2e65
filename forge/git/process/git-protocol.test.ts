/**
 * What a git server of another version sends and reads: during an upgrade both versions run together. Requests and responses are
 * written out, so that renaming a type's member cannot rename what is sent. A line here may gain an optional field; nothing else changes.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { before, suite, test } from 'node:test';
import { deserialize, serialize } from 'node:v8';

import { conflicting, none, reads, second, writes } from '../testing/protocol-calls.ts';
import { useTestGit } from '../testing/test-git.ts';
import { repositoryCalls } from './wire.ts';

const running = useTestGit();

async function post(path: string, body: Buffer): Promise<Buffer> {
  const response = Promise.withResolvers<Buffer>();
  const { socketPath } = running;
  const sent = httpRequest({ socketPath, method: 'POST', path }, (incoming) => {
    incoming.toArray().then((chunks) => response.resolve(Buffer.concat(chunks)), response.reject);
  });
  sent.once('error', response.reject);
  sent.end(body);
  return response.promise;
}

async function call(
  repositoryId: number | undefined,
  name: string,
  parameters: readonly unknown[],
): Promise<unknown> {
  return deserialize(
    await post('/call', serialize({ repositoryId, call: name, arguments: parameters })),
  );
}

suite('the protocol of the git process, between versions', () => {
  before(async () => {
    assert.deepEqual(await call(undefined, 'create', [7, 'main']), done);
    await play(writes);
  });

  test('answers every call with the same fields and values', async () => {
    await play(reads);
    await countStatistics();
    assert.deepEqual(await call(undefined, 'fork', [7, 8, 'main']), done);
    assert.deepEqual(await call(8, 'fetchObjects', [7, [conflicting]]), done);
    assert.deepEqual(await call(undefined, 'remove', [8]), done);
  });

  test('pins every call', () => {
    const pinned = new Set([...writes, ...reads].map(([name]) => name));
    const others = ['statistics', 'fetchObjects'];
    assert.deepEqual([...pinned, ...others].toSorted(), repositoryCalls.toSorted());
  });

  test('names what it could not do', async () => {
    const missing = await call(9, 'readRef', ['refs/heads/main']);
    assert.ok(missing instanceof Object && 'message' in missing);
    const { message } = missing;
    assert.deepEqual(missing, { kind: 'error', errorKind: 'missing-repository', message });
    const unknown = 'Unknown call of the git process: frobnicate';
    assert.deepEqual(await call(7, 'frobnicate', []), {
      kind: 'error',
      errorKind: 'failed',
      message: unknown,
    });
  });

  test('receives a push in frames', async () => {
    const pack = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
    const line = `${none} ${conflicting} refs/heads/topic\0report-status`;
    const length = (line.length + 4).toString(16).padStart(4, '0');
    const push = Buffer.concat([
      Buffer.from(`${length}${line}0000`),
      pack,
      createHash('sha1').update(pack).digest(),
    ]);
    const options = {
      protocol: undefined,
      refused: new Map(),
      undeletable: new Map(),
      fastForwardOnly: new Map(),
      packBytesMax: 1_000_000,
    };
    const body = [
      frame(1, serialize({ options, wantsDecision: false })),
      frame(2, push),
      frame(3, Buffer.alloc(0)),
    ];
    const response = await post('/receive-pack?repository=7', Buffer.concat(body));
    assert.equal(response[0], 4);
    assert.equal(response.readUInt32BE(1), response.length - 5);
    assert.deepEqual(deserialize(response.subarray(5)), {
      moves: [{ ref: 'refs/heads/topic', old: none, new: conflicting }],
      report: Buffer.from('000eunpack ok\n0018ok refs/heads/topic\n0000'),
    });
  });
});

async function play(calls: typeof reads): Promise<void> {
  for (const [name, parameters, expected] of calls) {
    const response = await call(7, name, parameters);
    if (typeof expected === 'function') {
      assert.ok(response instanceof Object && 'value' in response, name);
      expected(response.value);
    } else assert.deepEqual(response, { kind: 'value', value: expected }, name);
  }
}

const done = { kind: 'value', value: undefined };

/** It answers nothing until it has counted. */
async function countStatistics(): Promise<void> {
  let response = await call(7, 'statistics', [second]);
  while (response instanceof Object && 'value' in response && response.value === undefined) {
    response = await call(7, 'statistics', [second]);
  }
  const days = [{ day: 19_675, commits: 2, additions: 2, deletions: 0 }];
  const hours = Array.from({ length: 168 }, () => 0);
  hours[71] = 2;
  assert.deepEqual(response, {
    kind: 'value',
    value: { commits: 2, days, authors: [{ email: 'mona@example.com', days }], hours },
  });
}

function frame(kind: number, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}
