import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DeleteFunctionCommand } from '@aws-sdk/client-lambda';

import { accessKey, type FunctionService, startFunctionService } from './function-service.ts';
import { git, remoteUrl } from './git-client.ts';
import { until } from './patience.ts';
import {
  allowWebhooks,
  api as apiOf,
  type ApiResponse,
  gateHandler,
  openUrl,
  webhookSecret,
} from './push-to-status.ts';
import { removeFolder } from './running-server.ts';

const patient = { seconds: 60 };

describe('push, and the check is there', () => {
  let service: FunctionService;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-push-to-status-'));
    service = await startFunctionService();
  });
  after(async () => {
    await service.stop();
    await removeFolder(folder);
  });

  const api = (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
    apiOf(service.server, method, path, body);

  const fullName = (name: string): string => `${service.server.login}/${name}`;

  /** A repository whose main branch requires the status of the gate, as a clone. */
  async function guarded(name: string): Promise<string> {
    const { url, login, token } = service.server;
    await api('POST', '/user/repos', { name, auto_init: true });
    const protection = await api('PUT', `/repos/${fullName(name)}/branches/main/protection`, {
      required_status_checks: { strict: false, contexts: ['gate'] },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    assert.equal(protection.status, 200, JSON.stringify(protection.body));
    await git(folder, 'clone', '-q', remoteUrl(url, login, token, fullName(name)), name);
    return join(folder, name);
  }

  async function hook(name: string, url: string, events = ['push']): Promise<ApiResponse> {
    const config = { url, content_type: 'json', secret: webhookSecret };
    return api('POST', `/repos/${fullName(name)}/hooks`, { config, events });
  }

  async function gate(FunctionName: string): Promise<void> {
    const Variables = { WEBHOOK_SECRET: webhookSecret, GITHUB_TOKEN: service.server.token };
    const settings = { Environment: { Variables }, Timeout: 60 };
    await service.create(FunctionName, { 'index.mjs': gateHandler }, settings);
  }

  async function push(clone: string, branch: string, message: string): Promise<string> {
    await git(clone, 'checkout', '-q', '-B', branch);
    await git(clone, 'commit', '-q', '--allow-empty', '-m', message);
    await git(clone, 'push', '-q', 'origin', branch);
    return git(clone, 'rev-parse', 'HEAD');
  }

  /** The state of the gate's status, once it is there. */
  function stateOf(name: string, sha: string): Promise<string> {
    return until(async () => {
      const { body } = await api('GET', `/repos/${fullName(name)}/commits/${sha}/statuses`);
      return body[0]?.state;
    }, patient);
  }

  async function openPull(name: string, head: string): Promise<string> {
    const pull = await api('POST', `/repos/${fullName(name)}/pulls`, {
      title: head,
      head,
      base: 'main',
    });
    assert.equal(pull.status, 201, JSON.stringify(pull.body));
    return `/repos/${fullName(name)}/pulls/${pull.body.number}`;
  }

  async function deliveriesOf(name: string): Promise<ApiResponse['body']> {
    const [{ id }] = (await api('GET', `/repos/${fullName(name)}/hooks`)).body;
    const { body } = await api('GET', `/repos/${fullName(name)}/hooks/${id}/deliveries`);
    return body;
  }

  test('the conventional way: a webhook to a function URL, with default settings for webhooks', async () => {
    const clone = await guarded('url');
    await gate('gate');
    const created = await hook('url', await openUrl(service.client, 'gate'));
    assert.equal(created.status, 201, JSON.stringify(created.body));

    const broken = await push(clone, 'topic', 'broken');
    assert.equal(await stateOf('url', broken), 'failure');
    const pull = await openPull('url', 'topic');
    const refused = await api('PUT', `${pull}/merge`, {});
    assert.equal(refused.status, 405, JSON.stringify(refused.body));
    assert.match(refused.body.message, /gate/);

    const mended = await push(clone, 'topic', 'mended');
    assert.equal(await stateOf('url', mended), 'success');
    assert.equal((await api('PUT', `${pull}/merge`, {})).status, 200);
    // The merge is a push, too.
    await until(async () => {
      const pushes = (await deliveriesOf('url')).filter(
        ({ event, status }: Record<string, string>) => event === 'push' && status === 'OK',
      );
      return pushes.length === 3 ? true : undefined;
    }, patient);
  });

  test('a status belongs to its commit: after another push, the merge is refused again', async () => {
    const clone = await guarded('commit');
    await gate('gate-once');
    const hookOf = await hook('commit', await openUrl(service.client, 'gate-once'));
    const sha = await push(clone, 'topic', 'one');
    assert.equal(await stateOf('commit', sha), 'success');
    const pull = await openPull('commit', 'topic');
    // Without the gate, nothing sets a status for the next commit.
    const path = `/repos/${fullName('commit')}/hooks/${hookOf.body.id}`;
    assert.equal((await api('PATCH', path, { active: false })).status, 200);
    await push(clone, 'topic', 'two');
    const refused = await api('PUT', `${pull}/merge`, {});
    assert.equal(refused.status, 405, JSON.stringify(refused.body));
    assert.match(refused.body.message, /"gate" is expected/);
  });

  test('nothing else of the host is reached by a webhook, by its address or by a redirect', async () => {
    let requests = 0;
    const other = createServer((_request, response) => {
      requests += 1;
      response.end();
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    assert.ok(typeof address === 'object' && address);
    const elsewhere = `http://127.0.0.1:${address.port}/`;
    try {
      await guarded('elsewhere');
      const { url } = service.server;
      for (const refused of [
        elsewhere,
        elsewhere.replace('127.0.0.1', 'localhost'),
        `${url}/api/v3/user`,
        `${url.replace('127.0.0.1', 'localhost')}/root`,
        `${url}/lambda-url/unknown/`,
      ]) {
        const { status, body } = await hook('elsewhere', refused);
        assert.equal(status, 422, refused);
        assert.match(body.errors[0].message, /loopback or private|does not exist/, refused);
      }
      const bounce = `export const handler = async () => ({ statusCode: 307, headers: { location: '${elsewhere}' } });`;
      await service.create('bounce', { 'index.mjs': bounce });
      const hooked = await hook('elsewhere', await openUrl(service.client, 'bounce'));
      assert.equal(hooked.status, 201, JSON.stringify(hooked.body));
      const [delivery] = await until(async () => {
        const deliveries = await deliveriesOf('elsewhere');
        return deliveries.length > 0 ? deliveries : undefined;
      }, patient);
      assert.equal(delivery.status_code, 307);
      assert.equal(requests, 0);
    } finally {
      other.close();
    }
  });

  test('a token without the scope sets no status, and the log of the function says so', async () => {
    const { server, client } = service;
    const clone = await guarded('scope');
    const made = await server.admin(
      'create-token',
      server.login,
      '--scopes',
      'read:user',
      '--json',
    );
    const Variables = { WEBHOOK_SECRET: webhookSecret, GITHUB_TOKEN: JSON.parse(made).token };
    const settings = { Environment: { Variables }, Timeout: 60 };
    await service.create('gate-scope', { 'index.mjs': gateHandler }, settings);
    const created = await hook('scope', await openUrl(client, 'gate-scope'));
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const sha = await push(clone, 'topic', 'one');
    const [failed] = await until(async () => {
      const pushes = (await deliveriesOf('scope')).filter(
        ({ event }: Record<string, string>) => event === 'push',
      );
      return pushes.length > 0 ? pushes : undefined;
    }, patient);
    assert.equal(failed.status_code, 502);
    const logs = new CloudWatchLogsClient({
      endpoint: server.url,
      region: 'us-east-1',
      credentials: accessKey,
    });
    const logGroupName = '/aws/lambda/gate-scope';
    const message = await until(async () => {
      const { events } = await logs.send(new FilterLogEventsCommand({ logGroupName }));
      return events?.find((event) => event.message?.includes('The status was answered with'));
    }, patient);
    logs.destroy();
    assert.match(message.message ?? '', /answered with 404: .*Not Found/);
    const { body } = await api('GET', `/repos/${fullName('scope')}/commits/${sha}/statuses`);
    assert.deepEqual(body, []);
  });

  test('by ARN: admitted by the policy of the function, with the same handler', async () => {
    const clone = await guarded('arn');
    await gate('gate-arn');
    const arn = 'arn:aws:lambda:us-east-1:123456789012:function:gate-arn';
    const refused = await hook('arn', arn);
    assert.equal(refused.status, 422);
    assert.match(refused.body.errors[0].message, /aws lambda add-permission/);
    await allowWebhooks(service.client, 'gate-arn', fullName('arn'));
    assert.equal((await hook('arn', arn)).status, 201);
    const sha = await push(clone, 'topic', 'one');
    assert.equal(await stateOf('arn', sha), 'success');
    assert.equal((await api('PUT', `${await openPull('arn', 'topic')}/merge`, {})).status, 200);
    const [last] = await deliveriesOf('arn');
    assert.equal(last.status_code, 202);
    await service.client.send(new DeleteFunctionCommand({ FunctionName: 'gate-arn' }));
    await push(clone, 'late', 'late');
    const failed = await until(async () => {
      const [latest] = await deliveriesOf('arn');
      return latest.status_code === 0 ? latest : undefined;
    }, patient);
    assert.match(failed.status, /The function does not exist, or its policy does not allow/);
  });
});
