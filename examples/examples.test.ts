import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { present } from '#platform/present.ts';

import { accessKey, functionEnvironment } from '../scenarios/function-service.ts';
import { rootFolder, type RunningServer, startServer } from '../scenarios/running-server.ts';

describe('the examples do what they say', { concurrency: 2 }, () => {
  let folder: string;
  let server: RunningServer;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-examples-'));
    server = await startServer(join(folder, 'data'), { environment: functionEnvironment });
  });
  after(async () => {
    assert.equal(await server.stop(), 0, server.output());
    await rm(folder, { recursive: true, force: true });
  });

  /** As a user runs it who has no configuration at all; rejects with all it printed when it ends badly. */
  const play = async (example: string, environment: Record<string, string>): Promise<string> => {
    const { stdout } = await promisify(execFile)(join(rootFolder, 'hob'), ['examples', example], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1', ...environment },
    }).catch((error: Error & { stdout?: string }) => {
      throw new Error(`${error.message}\n${error.stdout}`, { cause: error });
    });
    return stdout;
  };

  test('forge.sh', async () => {
    const reported = await play('forge', { HOB: server.url, TOKEN: server.token });
    assert.match(reported, /ok the pull is merged: true\n/);
    assert.match(reported, /ok the repository answers: 404\n$/);
  });

  test('pair.sh', async () => {
    const reported = await play('pair', {
      HOB: server.url,
      TOKEN: server.token,
      AWS_ENDPOINT_URL: server.url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: accessKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: accessKey.secretAccessKey,
      ...present({ HOB_CLIENT: process.env['HOB_CLIENT_EXECUTABLE'] }),
    });
    assert.match(reported, /ok the status: failure\nok the merge: Required status check/);
    assert.match(reported, /ok the status: success\nok the merge: true\n/);
  });

  test('functions.sh', async () => {
    const built = process.env['HOB_CLIENT_EXECUTABLE'];
    const reported = await play('functions', {
      AWS_ENDPOINT_URL: server.url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: accessKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: accessKey.secretAccessKey,
      ...present({ HOB_CLIENT: built }),
    });
    assert.match(reported, /\tINFO\tasked for greeting\n/);
    assert.match(reported, /ok refused: ResourceNotFoundException\n$/);
  });
});
