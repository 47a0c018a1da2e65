import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';

import type { TestUser } from '#forge/testing/test-forge.ts';
import type { SandboxClient } from '#functions/ports/sandbox-server.ts';
import { signRequest } from '#functions/signing/testing/sign-request.ts';
import { testKey, testRoleKey } from '#functions/testing/test-credentials.ts';
import { style } from '#web/assets.ts';

import { createSandboxServer } from './sandbox-server.ts';
import {
  askAt,
  startTestApplication,
  type ReceivedResponse,
  type TestApplication,
} from './testing/test-application.ts';
import {
  openTestSandbox,
  sandboxServerOptions,
  testClient,
  type TestSandbox,
} from './testing/test-sandbox.ts';

const gate = testClient;
const other: SandboxClient = { ...gate, address: 'fd00:0:0:2::1' };
const durable: SandboxClient = { ...gate, reach: 'durable-executions', atBaseUrl: false };

describe('the server inside sandboxes', () => {
  let application: TestApplication;
  let sandboxServer: ReturnType<typeof createSandboxServer>;
  let inside: TestSandbox;
  let user: TestUser;
  let repository: string;

  before(async () => {
    application = await startTestApplication({
      rateLimitAnonymous: 3,
      trustedProxies: ['fd00::/8', '127.0.0.0/8'],
    });
    const { forge, listener } = application;
    user = await forge.user('ada');
    repository = await forge.repository(user, { name: 'project', init: true });
    const hash = await forge.ports.passwords.hash('correct horse');
    await forge.database.write((sql) =>
      sql.run('update accounts set password_hash = $1 where id = $2', hash, user.account.id),
    );
    sandboxServer = createSandboxServer({ ...sandboxServerOptions, answer: listener.answer });
    inside = await openTestSandbox(sandboxServer);
  });
  after(async () => {
    inside.close();
    sandboxServer.close();
    await application.close();
  });

  const headers = { 'user-agent': 'test', host: 'hob.example' };
  const basic = (login: string, password: string): Record<string, string> => ({
    authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`,
  });
  function ask(
    path: string,
    more: Readonly<Record<string, string>> = {},
    client = gate,
    sent: { method?: string; body?: string } = {},
  ): Promise<ReceivedResponse> {
    inside.client = client;
    return askAt(inside.port, { path, headers: { ...headers, ...more }, ...sent });
  }
  const token = (): Record<string, string> => ({ authorization: `token ${user.token}` });

  it('serves the REST API, GraphQL and git to tokens', async () => {
    assert.equal((await ask('/api/v3/user', token())).status, 200);
    assert.equal((await ask('/user', token())).status, 200);
    assert.equal((await ask('/api/v3/user', basic('x-access-token', user.token))).status, 200);
    assert.equal((await ask('/api/v3/no/such/address', token())).status, 404);
    const unknown = await ask('/2015-03-31/no-such-operation');
    assert.equal(unknown.status, 404);
    assert.equal(unknown.headers['x-amzn-errortype'], 'UnknownOperationException');
    const query = JSON.stringify({ query: '{ viewer { login } }' });
    const sent = { method: 'POST', body: query };
    const answered = await ask('/api/graphql', token(), gate, sent);
    assert.deepEqual(JSON.parse(answered.text), { data: { viewer: { login: user.login } } });
    const refs = await ask(`/${repository}.git/info/refs?service=git-upload-pack`, token());
    assert.equal(refs.status, 200);
    assert.match(refs.text, /refs\/heads\/main/);
  });

  it('serves files to tokens, by the links of the REST API, and to no session', async () => {
    const { forge } = application;
    const closed = await forge.repository(user, { name: 'closed', private: true, init: true });
    const contents = await ask(`/api/v3/repos/${closed}/contents/README.md`, token());
    const { pathname } = new URL(JSON.parse(contents.text).download_url);
    const file = await ask(pathname, token());
    assert.equal(file.status, 200);
    assert.match(file.text, /closed/);
    assert.equal((await ask(pathname)).status, 404);
    assert.equal((await ask(pathname, basic('ada', 'correct horse'))).status, 401);
    assert.equal((await ask(pathname, token(), durable)).status, 403);
    const password = { method: 'POST', body: 'login=ada&password=correct+horse' };
    assert.equal((await ask('/session', {}, gate, password)).status, 403);
    const cookie = await sessionOf('ada', 'correct horse');
    const page = { path: pathname, headers: { ...headers, cookie } };
    assert.equal((await application.ask(page)).status, 200);
    assert.equal((await ask(pathname, { cookie })).status, 404);
    assert.equal((await ask(`/${repository}/raw/main/README.md`)).status, 200);
  });

  /** The cookie of a browser outside that has signed in. */
  async function sessionOf(login: string, password: string): Promise<string> {
    const form = await application.ask({ path: '/login', headers });
    const visit = String(form.headers['set-cookie']).split(';')[0] ?? '';
    const hidden = [...form.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const fields = hidden.map(([, name = '', value = '']): [string, string] => [name, value]);
    const signedIn = await application.ask({
      method: 'POST',
      path: '/session',
      headers: {
        ...headers,
        cookie: visit,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
      body: new URLSearchParams([...fields, ['login', login], ['password', password]]).toString(),
    });
    assert.equal(signedIn.status, 303, signedIn.text);
    const cookies = [signedIn.headers['set-cookie'] ?? []].flat();
    return cookies.map((each) => each.split(';')[0]).join('; ');
  }

  it('serves no page, no form and nothing of the operator', async () => {
    const closed = [
      '/-/home',
      '/login',
      '/settings/tokens',
      '/docs',
      '/ada',
      `/${repository}`,
      '/avatars/u/1',
      style.path,
      '/healthz',
      '/readyz',
      '/-/go-import/ada/project',
    ];
    for (const path of closed) {
      const answer = await ask(path, token());
      assert.equal(answer.status, 403, path);
      assert.match(answer.text, /Functions cannot request this address/, path);
    }
    for (const path of ['/session', '/login/oauth/authorize', '/login/oauth/access_token']) {
      assert.equal((await ask(path, {}, gate, { method: 'POST' })).status, 403, path);
    }
    // The internal path of requests to other AWS services is no address of its own.
    assert.equal((await ask('/-/other-services', token())).status, 404);
    // A browser's root is a page.
    assert.equal((await ask('/', { accept: 'text/html' })).status, 403);
  });

  it('signs nobody in by a password, right or wrong', async () => {
    const path = '/api/v3/user';
    const right = basic('ada', 'correct horse');
    assert.equal((await application.ask({ path, headers: { ...headers, ...right } })).status, 200);
    assert.equal((await ask(path, right)).status, 401);
    // However often it tries, the account is not locked.
    for (let count = 0; count < 20; count += 1) await ask(path, basic('ada', 'wrong'));
    assert.equal((await application.ask({ path, headers: { ...headers, ...right } })).status, 200);
    const push = `/${repository}.git/info/refs?service=git-receive-pack`;
    assert.equal((await ask(push, right, other)).status, 401);
    assert.equal((await ask(push, basic('ada', user.token), other)).status, 200);
  });

  it('counts each function for itself, whatever it says about its address', async () => {
    const remaining = async (client: SandboxClient, more = {}): Promise<unknown> =>
      (await ask('/api/v3/users/ada', more, client)).headers['x-ratelimit-remaining'];
    const third: SandboxClient = { ...gate, address: 'fd00:0:0:3::1' };
    assert.equal(await remaining(third), '2');
    const forwarded = { 'x-forwarded-for': '198.51.100.7', forwarded: 'for=198.51.100.7' };
    assert.equal(await remaining(third, forwarded), '1');
    assert.equal(await remaining({ ...third, address: 'fd00:0:0:3::2' }), '0');
    assert.equal((await ask('/api/v3/users/ada', {}, third)).status, 403);
    assert.equal(await remaining({ ...gate, address: 'fd00:0:0:4::1' }), '2');
  });

  it('spells links as the base URL, whatever the program says in headers for proxies', async () => {
    const more = { ...token(), 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const { text } = await ask(`/api/v3/repos/${repository}`, more);
    assert.doesNotMatch(text, /evil\.example/);
    assert.match(text, /"statuses_url":"http:\/\/forge\.test/);
  });

  function signed(
    path: string,
    extra: Record<string, string> = {},
    key: { accessKeyId: string; secretAccessKey: string } = testKey,
    host = 'hob.example',
  ): Record<string, string> {
    const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const { rawHeaders } = signRequest(
      { method: 'POST', target: path, headers: { host }, body: '{}' },
      { ...key, time },
    );
    const pairs = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
    );
    return { ...Object.fromEntries(pairs), ...extra };
  }

  it('invokes functions by a signature only, and continues the chain of the event', async () => {
    const { functions } = application;
    await functions.create('next');
    const path = '/2015-03-31/functions/next/invocations';
    const post = { method: 'POST', body: '{}' };
    const unsigned = await ask(path, {}, gate, post);
    assert.equal(unsigned.status, 403);
    assert.match(unsigned.text, /Missing Authentication Token/);
    assert.equal((await application.ask({ path, headers, ...post })).status, 200);
    // The chain that the program itself names is continued too.
    const given = {
      'x-amzn-trace-id': 'Root=1-00000000-000000000000000000000000;Lineage=4e5f6071:2',
    };
    for (const more of [{}, given]) {
      assert.equal((await ask(path, signed(path, more), gate, post)).status, 200);
      const { event } = functions.environments.invoked.at(-1) ?? assert.fail();
      assert.match(event.traceHeader, /Lineage=0a1b2c3d:3\|[0-9a-f]{8}:1$/);
    }
  });

  it('refuses what a caller may not do before it reads the body', { timeout: 60_000 }, async () => {
    const path = '/2015-03-31/functions';
    const refused = [
      [{}, /Missing Authentication Token/],
      [signed(path, {}, testRoleKey), /not authorized to perform: lambda:CreateFunction/],
    ] as const;
    inside.client = gate;
    for (const [more, message] of refused) {
      // A body of which nothing is ever sent.
      const sent = request({
        host: '127.0.0.1',
        port: inside.port,
        method: 'POST',
        path,
        headers: { ...headers, ...more, 'content-length': '70000000' },
        agent: false,
      });
      sent.on('error', () => {});
      sent.flushHeaders();
      const [answer] = await once(sent, 'response');
      const text = (await answer.setEncoding('utf8').toArray()).join('');
      sent.destroy();
      assert.equal(answer.statusCode, 403);
      assert.match(text, message);
    }
  });

  it('serves function URLs by their host and by their path, as their AuthType says', async () => {
    const { functions } = application;
    for (const AuthType of ['NONE', 'AWS_IAM']) {
      const FunctionName = `url-${AuthType}`;
      await functions.create(FunctionName);
      const config = { FunctionName, AuthType };
      const { body } = await functions.call('CreateFunctionUrlConfig', config);
      await functions.call('AddPermission', {
        FunctionName,
        StatementId: 'url',
        Action: 'lambda:InvokeFunctionUrl',
        Principal: '*',
        FunctionUrlAuthType: AuthType,
      });
      const { host } = new URL(body.FunctionUrl);
      const onSite = `/lambda-url/${host.split('.')[0]}/`;
      for (const [path, at] of [
        ['/', host],
        [onSite, 'hob.example'],
      ] as const) {
        const post = { method: 'POST', body: '{}' };
        const byRole = signed(path, {}, testRoleKey, at);
        const unsigned = AuthType === 'NONE' ? 200 : 403;
        assert.equal((await ask(path, { host: at }, gate, post)).status, unsigned, at);
        assert.equal((await ask(path, byRole, gate, post)).status, 200, at);
        const closed = await ask(path, byRole, durable, post);
        assert.equal(closed.status, 403, at);
        assert.match(closed.text, /Functions cannot request this address/, at);
      }
    }
  });

  it('continues a chain at a function URL, where nobody outside can name one', async () => {
    const { functions } = application;
    const FunctionName = 'open';
    await functions.create(FunctionName);
    const config = await functions.call('CreateFunctionUrlConfig', {
      FunctionName,
      AuthType: 'NONE',
    });
    await functions.call('AddPermission', {
      FunctionName,
      StatementId: 'url',
      Action: 'lambda:InvokeFunctionUrl',
      Principal: '*',
      FunctionUrlAuthType: 'NONE',
    });
    const [urlId] = new URL(config.body.FunctionUrl).hostname.split('.');
    const path = `/lambda-url/${urlId}/`;
    const root = 'Root=1-00000000-000000000000000000000000';
    const given = { 'x-amzn-trace-id': `${root};Lineage=4e5f6071:2` };
    const lineageSeen = (): string | undefined =>
      /Lineage=(.*)$/.exec(functions.environments.invoked.at(-1)?.event.traceHeader ?? '')?.[1];
    assert.equal((await ask(path, given)).status, 200);
    assert.match(lineageSeen() ?? '', /^0a1b2c3d:3\|[0-9a-f]{8}:1$/);
    for (const header of [`${root};Lineage=4e5f6071:2`, ' lineage=4e5f6071:2']) {
      const outside = { ...headers, 'x-amzn-trace-id': header };
      assert.equal((await application.ask({ path, headers: outside })).status, 200);
      assert.match(lineageSeen() ?? '', /^[0-9a-f]{8}:1$/);
    }
  });

  it('serves durable functions what they cannot do without, where it serves nothing else', async () => {
    const arn = encodeURIComponent(`${gate.functionArn}:1/durable-execution/name/key`);
    const state = `/2025-12-01/durable-executions/${arn}/state?CheckpointToken=a`;
    // Reached, and refused there.
    assert.match((await ask(state, {}, durable)).text, /Missing Authentication Token/);
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/api/v3/user'],
      ['GET', `/${repository}.git/info/refs?service=git-upload-pack`],
      ['GET', '/2015-03-31/functions'],
      ['GET', '/2015-03-31/no-such-operation'],
      ['POST', '/2015-03-31/functions/next/invocations'],
      ['POST', `/2025-12-01/durable-executions/${arn}/stop`],
      ['POST', `/2025-12-01/durable-executions/${arn}/state`],
      ['GET', `//2025-12-01/durable-executions/${arn}/state`],
      ['GET', '/2025-12-01/durable-executions/%ff/state'],
      ['GET', '/2025-12-01/durable-executions/arn/history#/state'],
      ['GET', '/lambda-url/none/'],
    ] as const) {
      const answer = await ask(path, token(), durable, { method });
      assert.equal(answer.status, 403, `${method} ${path}: ${answer.text}`);
    }
    // The function may be invoked with both keys where everything is served.
    const invocations = '/2015-03-31/functions/next/invocations';
    for (const key of [testKey, testRoleKey]) {
      const more = signed(invocations, {}, key);
      const answer = await ask(invocations, more, durable, { method: 'POST', body: '{}' });
      assert.equal(answer.status, 403, answer.text);
    }
  });
});
