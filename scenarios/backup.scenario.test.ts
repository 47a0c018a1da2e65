import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { ForgeLoad } from './forge-load.ts';
import { clientOf, functionEnvironment, functionOf, invokeBy } from './function-service.ts';
import { until } from './patience.ts';
import {
  emptyDatabaseOf,
  removeFolder,
  type RunningServer,
  startServer,
} from './running-server.ts';
import { CreateFunctionCommand, waitUntilFunctionActiveV2 } from '@aws-sdk/client-lambda';

describe('a backup of a server that is written to', () => {
  let folder: string;
  let data: string;
  let server: RunningServer;
  let load: ForgeLoad;
  let backup: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-backup-'));
    data = join(folder, 'data');
    backup = join(folder, 'backup');
    server = await startServer(data, { environment });
    await mkdir(join(folder, 'clones'));
    load = new ForgeLoad({ target: () => server, folder: join(folder, 'clones') });
    await load.prepare();
    await makeFunction();
  });
  after(async () => {
    assert.equal(await server.stop(), 0, server.output());
    await removeFolder(folder);
  });

  const environment = { ...functionEnvironment, HOB_RATE_LIMIT_USER: '1000000' };
  const files = { 'index.mjs': 'export const handler = async () => process.env.WORD;' };

  async function makeFunction(): Promise<void> {
    const client = clientOf(server.url);
    const settings = { Environment: { Variables: { WORD: 'kept' } } };
    await client.send(new CreateFunctionCommand(functionOf('kept', files, settings)));
    await waitUntilFunctionActiveV2({ client, maxWaitTime: 60 }, { FunctionName: 'kept' });
    client.destroy();
  }

  async function ended(child: ChildProcess): Promise<{ code: number | null; output: string }> {
    const output: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => output.push(chunk));
    const [code] = await once(child, 'close');
    return { code, output: Buffer.concat(output).toString() };
  }

  async function restore(from: string, to: string, ...args: string[]) {
    const postgres = testPostgresUrl === undefined ? {} : await emptyDatabaseOf(to);
    const url = postgres['DATABASE_URL'];
    const database = url === undefined ? [] : ['--database', url];
    return ended(server.start('restore', from, '--data', to, ...args, ...database));
  }

  const large = Buffer.from('a large file');

  /** Sends or fetches an object of Git LFS. */
  function largeFile(method: 'GET' | 'PUT'): Promise<Response> {
    const oid = createHash('sha256').update(large).digest('hex');
    return fetch(`${server.url}/${server.login}/work.git/info/lfs/objects/${oid}`, {
      method,
      headers: { authorization: `token ${server.token}` },
      ...(method === 'PUT' ? { body: large } : {}),
    });
  }

  test('that is killed is distinguishable from a complete one, and disturbs no one', async () => {
    const killed = join(folder, 'killed');
    const child = server.start('backup', killed, '--data', data);
    await until(async () => (await readdir(killed).catch(() => [])).length > 0 || undefined);
    child.kill('SIGKILL');
    await once(child, 'close');
    const { code, output } = await restore(killed, join(folder, 'from-killed'));
    assert.equal(code, 1);
    assert.match(output, /is not a complete backup/);
    assert.equal((await load.api('POST', '/user/repos', { name: 'after' })).status, 201);
  });

  test('holds one point in time: all that was acknowledged before it, and no half of anything', async (context) => {
    const ending = new AbortController();
    const work = load.run(ending.signal);
    assert.equal((await largeFile('PUT')).status, 200);
    await until(() => load.acknowledged.merges.length > 3 || undefined);
    const acknowledgedBefore = structuredClone(load.acknowledged);
    const created = await ended(server.start('backup', backup, '--data', data));
    const acknowledgedDuring = load.report.acknowledged;
    ending.abort();
    await work;
    assert.equal(created.code, 0, created.output);
    assert.deepEqual(load.report.unexpected, []);
    const restored = join(folder, 'restored');
    const { code, output } = await restore(backup, restored, '--verify');
    assert.equal(code, 0, output);
    const original = server;
    server = await startServer(restored, { environment });
    try {
      assert.deepEqual(await load.losses(acknowledgedBefore), []);
      assert.equal(await (await largeFile('GET')).text(), large.toString());
      const client = clientOf(server.url);
      assert.equal((await invokeBy(client, 'kept')).value, 'kept');
      client.destroy();
    } finally {
      assert.equal(await server.stop(), 0, server.output());
      server = original;
    }
    assert.deepEqual(await load.losses(), []);
    context.diagnostic(`${acknowledgedDuring} writes were acknowledged until it was made`);
  });

  test('is whole, or says that it is not, when the server is killed meanwhile', async () => {
    const ending = new AbortController();
    const work = load.run(ending.signal);
    const merges = load.acknowledged.merges.length;
    await until(() => load.acknowledged.merges.length > merges + 1 || undefined);
    const acknowledgedBefore = structuredClone(load.acknowledged);
    const target = join(folder, 'meanwhile');
    const child = server.start('backup', target, '--data', data);
    await until(async () => (await readdir(target).catch(() => [])).length > 0 || undefined);
    await server.kill();
    const { code, output } = await ended(child);
    ending.abort();
    await work;
    server = await startServer(data, { environment });
    assert.deepEqual(await load.losses(), []);
    const restored = join(folder, 'restored-meanwhile');
    const restoring = await restore(target, restored, '--verify');
    assert.equal(restoring.code, code, `${output}\n${restoring.output}`);
    if (code !== 0) return;
    const original = server;
    server = await startServer(restored, { environment });
    try {
      assert.deepEqual(await load.losses(acknowledgedBefore), []);
    } finally {
      assert.equal(await server.stop(), 0, server.output());
      server = original;
    }
  });

  test('is not restored over anything, nor when a byte of it has changed', async () => {
    const refused = async (from: string, to: string): Promise<string> => {
      const { code, output } = await restore(from, to);
      assert.equal(code, 1, output);
      return output;
    };
    assert.match(await refused(backup, data), /is not empty/);
    const changed = join(folder, 'changed');
    await cp(backup, changed, { recursive: true });
    await appendFile(join(changed, 'data', 'functions', 'audit.log'), 'x');
    assert.match(await refused(changed, join(folder, 'a')), /audit\.log has changed/);
    // What is left of it is no data directory.
    await assert.rejects(
      startServer(join(folder, 'a'), { environment }),
      /is not a data directory/,
    );
    await rm(join(changed, 'data', 'functions', 'audit.log'));
    assert.match(await refused(changed, join(folder, 'b')), /audit\.log is missing/);
    const list = await readFile(join(changed, 'contents.jsonl'), 'utf8');
    await writeFile(join(changed, 'contents.jsonl'), list.replace('audit', 'other'));
    assert.match(await refused(changed, join(folder, 'c')), /does not match the checksum/);
  });

  test('is not made where something is, nor in what it is of', async () => {
    for (const [target, args] of [
      [backup, /is not empty/],
      [join(data, 'backup'), /cannot be inside the data directory/],
    ] as const) {
      const { code, output } = await ended(server.start('backup', target, '--data', data));
      assert.equal(code, 1);
      assert.match(output, args);
    }
    const { output } = await ended(server.start('backup', join(folder, 'x'), '--data', folder));
    assert.match(output, /is not a data directory/);
  });
});
