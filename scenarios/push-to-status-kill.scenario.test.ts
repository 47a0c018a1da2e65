import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import {
  CreateFunctionCommand,
  type LambdaClient,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';

import { clientOf, functionEnvironment, functionOf } from './function-service.ts';
import { git, remoteUrl } from './git-client.ts';
import { until } from './patience.ts';
import { allowWebhooks, api, gateHandler, openUrl, webhookSecret } from './push-to-status.ts';
import { removeFolder, type RunningServer, startServer } from './running-server.ts';

const cycles = 3;
const flags = ['--test-controls'];

describe('a server that is killed between a push and its check', () => {
  let folder: string;
  let server: RunningServer;
  let client: LambdaClient;
  const environment = functionEnvironment;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-push-kill-'));
    server = await startServer(join(folder, 'data'), { environment, flags });
    client = clientOf(server.url);
  });
  after(async () => {
    client.destroy();
    await server.stop();
    await removeFolder(folder);
  });

  test('runs the check after its next start, and records it once', () =>
    killAfterPushes('URL', 'killed', 200));

  test('does so for a webhook to the ARN of a function', () =>
    killAfterPushes('ARN', 'killed-arn', 202));

  async function killAfterPushes(
    kind: 'URL' | 'ARN',
    repository: string,
    statusCode: number,
  ): Promise<void> {
    const FunctionName = `gate-${repository}`;
    const Variables = { WEBHOOK_SECRET: webhookSecret, GITHUB_TOKEN: server.token };
    const settings = { Environment: { Variables }, Timeout: 60 };
    const files = { 'index.mjs': gateHandler };
    const { FunctionArn } = await client.send(
      new CreateFunctionCommand(functionOf(FunctionName, files, settings)),
    );
    const patience = { client, maxWaitTime: 60, minDelay: 0.05 };
    await waitUntilFunctionActiveV2(patience, { FunctionName });
    await api(server, 'POST', '/user/repos', { name: repository, auto_init: true });
    const fullName = `${server.login}/${repository}`;
    if (kind === 'ARN') await allowWebhooks(client, FunctionName, fullName);
    const url = kind === 'ARN' ? FunctionArn : await openUrl(client, FunctionName);
    const config = { url, content_type: 'json', secret: webhookSecret };
    const hooks = `/repos/${fullName}/hooks`;
    const hook = await api(server, 'POST', hooks, { config, events: ['push'] });
    assert.equal(hook.status, 201, JSON.stringify(hook.body));
    const work = join(folder, repository);
    const remote = remoteUrl(server.url, server.login, server.token, fullName);
    await git(folder, 'clone', '-q', remote, work);
    for (let cycle = 1; cycle <= cycles; cycle += 1) {
      await git(work, 'commit', '-q', '--allow-empty', '-m', `cycle ${cycle}`);
      // In every other cycle the kill certainly falls between the commit of the push and its hand-over.
      if (cycle % 2 === 1) await holdDeliveries(server);
      await git(work, 'push', '-q', 'origin', 'HEAD:main');
      await server.kill();
      // Function URLs contain the port.
      const port = Number(new URL(server.url).port);
      server = await startServer(join(folder, 'data'), { environment, flags, port });
      const sha = await git(work, 'rev-parse', 'HEAD');
      const statuses = `/repos/${fullName}/commits/${sha}/statuses`;
      const patient = { seconds: 60, missing: `the status of cycle ${cycle}` };
      await until(async () => (await api(server, 'GET', statuses)).body[0], patient);
      const recorded = await until(async () => {
        const { body } = await api(server, 'GET', `${hooks}/${hook.body.id}/deliveries`);
        const pushes = body.filter(({ event }: Record<string, string>) => event === 'push');
        const all = pushes.every(
          ({ status_code: code }: Record<string, number>) => code === statusCode,
        );
        return all && pushes.length >= cycle ? pushes : undefined;
      }, patient);
      assert.equal(recorded.length, cycle);
    }
  }
});

/** Until the next start. */
async function holdDeliveries({ url, token }: RunningServer): Promise<void> {
  const response = await fetch(`${url}/-/test/hold`, {
    method: 'POST',
    headers: { authorization: `token ${token}` },
    body: JSON.stringify({ deliveries: true }),
  });
  assert.equal(response.status, 204);
}
