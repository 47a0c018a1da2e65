/** What the server times by itself obeys the clock of its test controls: locks, tokens, durable timers and unused functions. */
import assert from 'node:assert/strict';
import { createSign } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { CloudWatchLogsClient, DescribeLogStreamsCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  CreateFunctionCommand,
  GetDurableExecutionCommand,
  GetDurableExecutionHistoryCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  type LambdaClient,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';

import { type ControlledServer, startControlledServer } from './controlled-server.ts';
import { durableFiles } from './durable-executions-program.ts';
import { accessKey, clientOf, functionEnvironment, functionOf } from './function-service.ts';
import { until } from './patience.ts';
import { openSignedInBrowser } from './signed-in-browser.ts';

const noon = '2030-01-01T12:00:00.000Z';
const patient = { seconds: 60 };
const day = 24 * 60 * 60;

describe('the clock of a server with test controls', { timeout: 180_000 }, () => {
  let server: ControlledServer;
  let client: LambdaClient;
  before(async () => {
    const environment = { ...functionEnvironment, HOB_FUNCTION_LOG_DAYS: '30' };
    server = await startControlledServer({ environment });
    client = clientOf(server.url);
  });
  after(async () => {
    client.destroy();
    await server.close();
  });

  const stopClock = async (at = noon): Promise<void> => {
    assert.equal((await server.control('PUT', '/clock', { now: at })).status, 200);
  };
  const advance = async (seconds: number): Promise<void> => {
    assert.equal((await server.control('POST', '/clock/advance', { seconds })).status, 200);
  };

  it('lifts the lock of a login with too many wrong passwords', async () => {
    await stopClock();
    await server.admin('create-user', 'ada', '--password', 'the right one');
    const signIn = async (password: string): Promise<string> => {
      const basic = Buffer.from(`ada:${password}`).toString('base64');
      const { status, body } = await server.api('GET', '/user', undefined, `Basic ${basic}`);
      return status === 200 ? body.login : body.message;
    };
    let refusal = 'Bad credentials';
    for (let tries = 0; tries < 50 && refusal === 'Bad credentials'; tries += 1) {
      refusal = await signIn(`wrong ${tries}`);
    }
    assert.match(refusal, /^Maximum number of login attempts exceeded/);
    assert.equal(await signIn('the right one'), refusal);
    await advance(599);
    assert.equal(await signIn('the right one'), refusal);
    await advance(2);
    assert.equal(await signIn('the right one'), 'ada');
  });

  it('ends tokens of installations after an hour', async () => {
    await stopClock();
    const about = ['--owner', server.login, '--permissions', 'contents=read', '--json'];
    const app = JSON.parse(await server.admin('create-app', 'expiring', ...about));
    await server.admin('install-app', app.slug, server.login);
    const asApp = `Bearer ${jwt(app.id, app.privateKey)}`;
    const installed = await server.api('GET', '/app/installations', undefined, asApp);
    const path = `/app/installations/${installed.body[0].id}/access_tokens`;
    const { body } = await server.api('POST', path, {}, asApp);
    assert.equal(body.expires_at, '2030-01-01T13:00:00Z');
    const ask = async (): Promise<number> =>
      (await server.api('GET', '/installation/repositories', undefined, `token ${body.token}`))
        .status;
    assert.equal(await ask(), 200);
    await advance(3599);
    assert.equal(await ask(), 200);
    await advance(2);
    assert.equal(await ask(), 401);
  });

  it('ends codes of App manifests after an hour', async () => {
    await stopClock();
    const browser = await openSignedInBrowser(server);
    const page = '/settings/apps/new';
    const newCode = async (name: string): Promise<string> => {
      const back = 'https://app.example.test/back';
      const manifest = { name, url: 'https://app.example.test/', redirect_url: back };
      const shown = await browser.post(page, { manifest: JSON.stringify(manifest) });
      assert.equal(shown.status, 200, shown.text);
      const confirmed = await browser.submit(page);
      const code = new URL(confirmed.headers['location'] ?? '').searchParams.get('code');
      return code ?? assert.fail(confirmed.text);
    };
    const convert = async (code: string): Promise<number> =>
      (await server.api('POST', `/app-manifests/${code}/conversions`, undefined, '')).status;
    const [early, late] = [await newCode('early'), await newCode('late')];
    await advance(3599);
    assert.equal(await convert(early), 201);
    await advance(2);
    assert.equal(await convert(late), 404);
  });

  it('ends authorization codes of OAuth applications after ten minutes', async () => {
    await stopClock();
    const callback = 'https://app.example.test/back';
    const options = ['--callback-url', callback, '--json'];
    const application = JSON.parse(await server.admin('create-application', 'oauth', ...options));
    const { clientId: client_id, clientSecret: client_secret } = application;
    const browser = await openSignedInBrowser(server);
    const page = '/login/oauth/authorize';
    const newCode = async (): Promise<string> => {
      const shown = await browser.get(`${page}?client_id=${client_id}&scope=repo`);
      const given = shown.status === 302 ? shown : await browser.submit(page, { authorize: '1' });
      const code = new URL(given.headers['location'] ?? '').searchParams.get('code');
      return code ?? assert.fail(given.text);
    };
    // oxlint-disable-next-line typescript/no-explicit-any -- a token, or an error
    const exchange = async (code: string): Promise<any> => {
      const response = await fetch(`${server.url}/login/oauth/access_token`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify({ client_id, client_secret, code }),
      });
      return response.json();
    };
    const [early, late] = [await newCode(), await newCode()];
    await advance(599);
    const { access_token: token } = await exchange(early);
    await advance(2);
    assert.equal((await exchange(late)).error, 'bad_verification_code');
    // The token that came of the first has no end.
    await advance(365 * day);
    const user = await server.api('GET', '/user', undefined, `token ${token}`);
    assert.equal(user.body.login, server.login);
  });

  it('refills the points of GraphQL after an hour', async () => {
    await stopClock();
    await server.admin('create-user', 'bob', '--password', 'a password');
    const created = await server.admin('create-token', 'bob', '--scopes', 'repo', '--json');
    const { token } = JSON.parse(created);
    // oxlint-disable-next-line typescript/no-explicit-any -- reaches into responses of every shape
    const ask = async (fields: string): Promise<any> => {
      const query = `{ rateLimit { limit cost remaining resetAt } ${fields} }`;
      const { body } = await server.api('POST', '/graphql', { query }, `bearer ${token}`);
      return body;
    };
    const {
      data: { rateLimit: full },
    } = await ask('');
    assert.deepEqual([full.cost, full.remaining], [1, full.limit - 1]);
    assert.equal(full.resetAt, '2030-01-01T13:00:00Z');
    const nested = (first: number, inner: string): string =>
      `repositories(first: ${first}) { nodes { ${inner} } }`;
    const costly = `viewer { ${nested(100, 'issues(first: 100) { nodes { comments(first: 10) { totalCount } } }')} }`;
    let refusal: { errors?: { type: string }[] } = {};
    while (refusal.errors === undefined) refusal = await ask(costly);
    assert.equal(refusal.errors[0]?.type, 'RATE_LIMITED');
    await advance(3599);
    assert.equal((await ask(costly)).errors[0].type, 'RATE_LIMITED');
    await advance(2);
    const { data } = await ask('');
    assert.equal(data.rateLimit.remaining, full.limit - 1);
    assert.equal(data.rateLimit.resetAt, '2030-01-01T14:00:01Z');
  });

  it('ends environments that have been idle for long, so that the next start is a cold one', async () => {
    await stopClock();
    const FunctionName = 'counting';
    const code = {
      'index.mjs': 'let count = 0; export const handler = async () => (count += 1);',
    };
    await client.send(new CreateFunctionCommand(functionOf(FunctionName, code)));
    await waitUntilFunctionActiveV2({ client, maxWaitTime: 60 }, { FunctionName });
    const count = async (): Promise<unknown> => {
      const { Payload } = await client.send(new InvokeCommand({ FunctionName }));
      return JSON.parse(Payload?.transformToString() ?? '');
    };
    assert.deepEqual([await count(), await count()], [1, 2]);
    await advance(60);
    assert.equal(await count(), 3);
    await advance(day);
    assert.equal(await count(), 1);
  });

  it('ends the wait of a durable execution', async () => {
    await stopClock();
    const FunctionName = 'waits';
    const settings = { DurableConfig: { ExecutionTimeout: 3600 }, Timeout: 60 };
    await client.send(
      new CreateFunctionCommand(functionOf(FunctionName, durableFiles(), settings)),
    );
    await waitUntilFunctionActiveV2({ client, maxWaitTime: 60 }, { FunctionName });
    const { DurableExecutionArn } = await client.send(
      new InvokeCommand({
        FunctionName: `${FunctionName}:$LATEST`,
        InvocationType: 'Event',
        Payload: JSON.stringify({ story: 'child', word: 'late' }),
      }),
    );
    assert.ok(DurableExecutionArn);
    const statusOf = async (): Promise<string | undefined> =>
      (await client.send(new GetDurableExecutionCommand({ DurableExecutionArn }))).Status;
    // It waits for a second, which does not pass.
    await until(async () => {
      const command = new GetDurableExecutionHistoryCommand({ DurableExecutionArn });
      const { Events = [] } = await client.send(command);
      return Events.some(({ EventType }) => EventType === 'WaitStarted') ? true : undefined;
    }, patient);
    assert.equal(await statusOf(), 'RUNNING');
    await advance(1);
    await until(async () => ((await statusOf()) === 'SUCCEEDED' ? true : undefined), patient);
  });

  it('does what is scheduled by then: old logs are removed', async () => {
    await stopClock();
    const FunctionName = 'logging';
    const code = { 'index.mjs': "export const handler = async () => console.log('hello');" };
    await client.send(new CreateFunctionCommand(functionOf(FunctionName, code)));
    await waitUntilFunctionActiveV2({ client, maxWaitTime: 60 }, { FunctionName });
    await client.send(new InvokeCommand({ FunctionName }));
    const logs = new CloudWatchLogsClient({
      endpoint: server.url,
      region: 'us-east-1',
      credentials: accessKey,
    });
    const logGroupName = `/aws/lambda/${FunctionName}`;
    const streams = async (): Promise<number | undefined> =>
      (await logs.send(new DescribeLogStreamsCommand({ logGroupName }))).logStreams?.length;
    try {
      await until(async () => ((await streams()) === 1 ? true : undefined), patient);
      await advance(60 * day);
      // Its environment, which has the log open, is idle for too long as well.
      await until(async () => {
        await advance(day);
        return (await streams()) === 0 ? true : undefined;
      }, patient);
    } finally {
      logs.destroy();
    }
  });

  it('makes a function inactive that has been unused for two weeks', async () => {
    await stopClock();
    const FunctionName = 'unused';
    const code = { 'index.mjs': 'export const handler = async () => 1;' };
    await client.send(new CreateFunctionCommand(functionOf(FunctionName, code)));
    await waitUntilFunctionActiveV2({ client, maxWaitTime: 60 }, { FunctionName });
    await client.send(new InvokeCommand({ FunctionName }));
    const state = async (): Promise<string | undefined> =>
      (await client.send(new GetFunctionConfigurationCommand({ FunctionName }))).State;
    await advance(13 * day);
    assert.equal(await state(), 'Active');
    await advance(day + 1);
    await until(async () => ((await state()) === 'Inactive' ? true : undefined), patient);
  });
});

/** As an App signs it, by the clock of its own host. */
function jwt(issuer: number, privateKey: string): string {
  const seconds = Math.floor(Date.now() / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: issuer, iat: seconds - 30, exp: seconds + 300 };
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
}
