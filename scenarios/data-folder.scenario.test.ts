import assert from 'node:assert/strict';
import { chmod, lstat, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import {
  CreateFunctionCommand,
  PublishLayerVersionCommand,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';

import { zipOf } from '#functions/code/testing/zip-of.ts';

import { clientOf, functionEnvironment, functionOf, invokeBy } from './function-service.ts';
import { removeFolder, type RunningServer, startServer } from './running-server.ts';

const handler = {
  'index.mjs': 'export const handler = async () => { console.log("hi"); return "done"; }',
  'bin/tool': { content: '#!/bin/sh\n', mode: 0o755 },
};

describe('the data folder of a server', () => {
  let folder: string;
  let data: string;
  let server: RunningServer;
  const start = async (): Promise<void> => {
    server = await startServer(data, { environment: functionEnvironment });
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-modes-'));
    // Others may walk to it: what is in it must be closed by itself.
    await chmod(folder, 0o755);
    data = join(folder, 'data');
    await start();
  });
  after(async () => {
    await server.stop();
    await removeFolder(folder);
  });

  test('is closed to other users in all that a life puts there', async () => {
    const post = async (path: string, method: string, body: object): Promise<void> => {
      const headers = { authorization: `token ${server.token}`, 'user-agent': 'scenario' };
      const settings = { method, headers, body: JSON.stringify(body) };
      const response = await fetch(`${server.url}/api/v3${path}`, settings);
      assert.ok(response.ok, await response.text());
    };
    await post('/user/repos', 'POST', { name: 'hello', auto_init: true });
    const content = Buffer.from('x').toString('base64');
    await post('/repos/root/hello/contents/x', 'PUT', { message: 'x', content });
    const client = clientOf(server.url);
    const FunctionName = 'greet';
    const layer = await client.send(
      new PublishLayerVersionCommand({
        LayerName: 'tools',
        Content: { ZipFile: zipOf({ 'nodejs/tool.js': '' }) },
      }),
    );
    const Layers = [layer.LayerVersionArn ?? ''];
    await client.send(new CreateFunctionCommand(functionOf(FunctionName, handler, { Layers })));
    await waitUntilFunctionActiveV2({ client, maxWaitTime: 60, minDelay: 1 }, { FunctionName });
    // It may be one that cannot run functions: their folders are there all the same.
    await invokeBy(client, FunctionName);
    client.destroy();
    assert.deepEqual(await opened(data), []);
  });

  test('is closed again at a start, whatever it was opened to meanwhile', async () => {
    await server.stop();
    for (const name of ['.', 'functions', 'repositories']) await chmod(join(data, name), 0o755);
    await chmod(join(data, 'hob.sqlite'), 0o644).catch(() => {});
    await start();
    assert.deepEqual(await opened(data), []);
  });
});

/** What is open to others than it should be, with its mode. */
async function opened(data: string): Promise<string[]> {
  const found: string[] = [];
  async function look(path: string): Promise<void> {
    const stats = await lstat(join(data, path)).catch(() => undefined);
    // Gone in the meantime, or a link, which has no mode.
    if (!stats || stats.isSymbolicLink()) return;
    const mode = stats.mode & 0o7777;
    const kind = stats.isDirectory() ? 'folder' : 'file';
    if (!modesOf(path, kind).includes(mode)) found.push(`${path} ${mode.toString(8)}`);
    if (!stats.isDirectory()) return;
    for (const name of await readdir(join(data, path))) await look(join(path, name));
  }
  await look('.');
  return found;
}

function modesOf(path: string, kind: 'folder' | 'file'): readonly number[] {
  // Programs of functions read these by a mount, or pass by a group; for everybody else the folders above are closed.
  if (/^functions\/(code|layers|images)(\/|$)/.test(path)) {
    if (kind === 'folder') return [0o711, 0o755];
    return /\/(tree|content)\/|^functions\/layers\//.test(path) ? [0o644, 0o755] : [0o600];
  }
  if (/^sockets\/run(\/|$)/.test(path) && kind === 'folder') return [0o711, 0o700, 0o750];
  // git runs these.
  if (kind === 'file' && path.startsWith('repositories/hooks/')) return [0o700];
  // git makes packs and objects files that no one writes to again.
  if (kind === 'file') return [0o600, 0o400];
  // Without mounts, the programs' group passes through these.
  return /^(\.|functions|functions\/launcher|sockets)$/.test(path) ? [0o700, 0o710] : [0o700];
}
