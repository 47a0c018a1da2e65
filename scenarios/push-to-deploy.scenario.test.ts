import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda';

import { accessKey, clientOf, functionEnvironment, invokeBy } from './function-service.ts';
import { git, remoteUrl } from './git-client.ts';
import { until } from './patience.ts';
import { api } from './push-to-status.ts';
import { removeFolder, rootFolder, type RunningServer, startServer } from './running-server.ts';

const run = promisify(execFile);
const cycles = 2;

const template = `Transform: AWS::Serverless-2016-10-31
Resources:
  Greet:
    Type: AWS::Serverless::Function
    Properties:
      FunctionName: greet
      Runtime: nodejs24.x
      Handler: index.handler
      CodeUri: code
      MemorySize: 1769
`;

const handler = (answer: string): string => `export const handler = async () => '${answer}';\n`;

describe('a push that deploys a function', () => {
  let folder: string;
  let work: string;
  let server: RunningServer;
  let client: LambdaClient;
  let fullName: string;
  const environment = functionEnvironment;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-push-deploy-'));
    work = join(folder, 'work');
    server = await startServer(join(folder, 'data'), { environment });
    client = clientOf(server.url);
    await api(server, 'POST', '/user/repos', { name: 'app', auto_init: true });
    fullName = `${server.login}/app`;
    await git(
      folder,
      'clone',
      '-q',
      remoteUrl(server.url, server.login, server.token, fullName),
      work,
    );
    await mkdir(join(work, 'code'));
    await writeFile(join(work, 'template.yaml'), template);
  });
  after(async () => {
    client.destroy();
    await server.stop();
    await removeFolder(folder);
  });

  /** The command-line client, as a program of its own; what it prints. */
  async function hob(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(
      process.execPath,
      [join(rootFolder, 'hob.ts'), 'functions', ...args],
      {
        cwd: work,
        env: {
          ...process.env,
          AWS_ENDPOINT_URL: server.url,
          AWS_REGION: 'us-east-1',
          AWS_ACCESS_KEY_ID: accessKey.accessKeyId,
          AWS_SECRET_ACCESS_KEY: accessKey.secretAccessKey,
          AWS_PAGER: '',
        },
      },
    );
    return stdout;
  }

  async function pushed(code: string): Promise<string> {
    await writeFile(join(work, 'code', 'index.mjs'), code);
    await git(work, 'add', '-A');
    await git(work, 'commit', '-q', '--allow-empty', '-m', 'change');
    await git(work, 'push', '-q', 'origin', 'HEAD:main');
    return git(work, 'rev-parse', 'HEAD');
  }

  /** The final status of a commit, with its description. */
  async function outcome(commit: string): Promise<string> {
    return until(
      async () => {
        const { body } = await api(server, 'GET', `/repos/${fullName}/commits/${commit}/statuses`);
        const final = body.find(({ state }: Record<string, string>) => state !== 'pending');
        return final && `${final.context} ${final.state}: ${final.description}`;
      },
      { seconds: 60, missing: `the status of ${commit}` },
    );
  }

  const answer = async (): Promise<unknown> => (await invokeBy(client, 'greet')).value;

  test('a checkout and the repository are deployed as the same code', async () => {
    await writeFile(join(work, 'code', 'index.mjs'), handler('one'));
    assert.equal(await hob('deploy', '--yes'), 'greet: created\n');
    assert.equal(await answer(), 'one');
    await hob('deploy', '--on-push', fullName, 'main', '--yes');
    const commit = await pushed(handler('one'));
    assert.equal(await outcome(commit), 'deploy/greet success: Version 1 is published');
    assert.equal(await hob('deploy', '--yes'), 'greet: unchanged\n');
  });

  test('the function answers with the new code, and its version names the commit', async () => {
    const commit = await pushed(handler('two'));
    assert.equal(await outcome(commit), 'deploy/greet success: Version 2 is published');
    assert.equal(await answer(), 'two');
    const version = { FunctionName: 'greet', Qualifier: '2' };
    const { Description } = await client.send(new GetFunctionConfigurationCommand(version));
    assert.equal(Description, commit);
  });

  test('code that does not start shows a failure with the reason, and the code before keeps running', async () => {
    const commit = await pushed('throw new Error("Not today.");\n');
    assert.match(await outcome(commit), /^deploy\/greet failure: \w+.*: .+/);
    assert.equal(await answer(), 'two');
    const { PushDeployments } = JSON.parse(await hob('deploy', '--list', '--output', 'json'));
    assert.equal(PushDeployments[0].LastResult, 'failure');
    assert.equal(PushDeployments[0].LastCommit, commit);
  });

  test('a server that is killed after the push deploys it after its next start, as one version', async () => {
    for (let cycle = 1; cycle <= cycles; cycle += 1) {
      const commit = await pushed(handler(`cycle ${cycle}`));
      await server.kill();
      client.destroy();
      // The remote of the checkout contains the port.
      const port = Number(new URL(server.url).port);
      server = await startServer(join(folder, 'data'), { environment, port });
      client = clientOf(server.url);
      const version = cycle + 2;
      assert.equal(await outcome(commit), `deploy/greet success: Version ${version} is published`);
      assert.equal(await answer(), `cycle ${cycle}`);
    }
  });

  test('a push after the deployment was removed deploys nothing', async () => {
    await hob('deploy', '--remove', fullName, 'main');
    const commit = await pushed(handler('never'));
    assert.deepEqual(JSON.parse(await hob('deploy', '--list', '--output', 'json')), {
      PushDeployments: [],
    });
    const { body } = await api(server, 'GET', `/repos/${fullName}/commits/${commit}/statuses`);
    assert.deepEqual(body, []);
    assert.equal(await answer(), `cycle ${cycles}`);
  });
});
