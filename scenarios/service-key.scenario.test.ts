import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import {
  CreateFunctionCommand,
  GetFunctionConfigurationCommand,
  type LambdaClient,
  ResourceConflictException,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';

import { clientOf, functionEnvironment, functionOf } from './function-service.ts';
import { until } from './patience.ts';
import { removeFolder, type RunningServer, startServer } from './running-server.ts';

describe('a server whose service key is changed', () => {
  let folder: string;
  let data: string;
  let server: RunningServer;
  let client: LambdaClient;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-service-key-'));
    data = join(folder, 'data');
    await start();
  });
  after(async () => {
    client.destroy();
    assert.equal(await server.stop(), 0, server.output());
    await removeFolder(folder);
  });

  async function start(): Promise<void> {
    server = await startServer(data, { environment: functionEnvironment });
    client = clientOf(server.url);
  }

  const FunctionName = 'secretive';
  const files = { 'index.mjs': 'export const handler = async () => process.env.WORD;' };

  async function word(): Promise<string | undefined> {
    const { Environment } = await client.send(
      new GetFunctionConfigurationCommand({ FunctionName }),
    );
    assert.equal(Environment?.Error, undefined);
    return Environment?.Variables?.['WORD'];
  }

  async function setWord(WORD: string): Promise<void> {
    const settings = { FunctionName, Environment: { Variables: { WORD } } };
    await until(async () => {
      try {
        await client.send(new UpdateFunctionConfigurationCommand(settings));
        return true;
      } catch (error) {
        if (error instanceof ResourceConflictException) return undefined;
        throw error;
      }
    });
  }

  test('and the change killed, again and again, reads and keeps every secret', async (context) => {
    const settings = { Environment: { Variables: { WORD: 'first' } } };
    await client.send(new CreateFunctionCommand(functionOf(FunctionName, files, settings)));
    await waitUntilFunctionActiveV2({ client, maxWaitTime: 60 }, { FunctionName });
    let killed = 0;
    for (let round = 1; round <= 6; round += 1) {
      const child = server.start('admin', 'rotate-service-key', '--data', data);
      const ended = once(child, 'exit');
      // From when there are two keys to the end of all.
      const next = join(data, 'functions', 'service-key.next');
      const started = () => existsSync(next) || child.exitCode !== null || undefined;
      await until(started);
      const timestamp = performance.now() + Math.random() * 40;
      await until(() => performance.now() > timestamp || undefined);
      child.kill('SIGKILL');
      await ended;
      if (child.exitCode === null) killed += 1;
      await setWord(`word ${round}`);
      assert.equal(await word(), `word ${round}`);
      if (round % 2 === 1) continue;
      // A start finishes what was interrupted.
      client.destroy();
      await server.kill();
      await start();
      assert.equal(await word(), `word ${round}`);
    }
    context.diagnostic(`${killed} of 6 changes were killed before their end`);
    assert.match(await server.admin('rotate-service-key'), /Replaced the service key/);
    assert.equal(await word(), 'word 6');
    const names = await readdir(join(data, 'functions'));
    const keys = names.filter((name) => name.startsWith('service-key'));
    assert.deepEqual(keys, ['service-key']);
  });
});
