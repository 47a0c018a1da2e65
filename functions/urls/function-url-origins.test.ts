import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';

import { signRequest } from '../signing/testing/sign-request.ts';
import { assertRefused } from '../testing/assert-refused.ts';
import { testKey } from '../testing/test-credentials.ts';
import {
  createTestFunctions,
  type TestResponse,
  type TestFunctions,
  type TestRequest,
} from '../testing/test-functions.ts';

type Input = Readonly<Record<string, unknown>>;

/** The site and the pages of functions are different origins: neither can act as the other in a browser. */
describe('origins of function URLs', () => {
  let functions: TestFunctions;
  let serial = 0;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  /** The id of the URL of a new function that everybody may use. */
  async function open(given: Input = {}): Promise<string> {
    serial += 1;
    const FunctionName = `open-${serial}`;
    await functions.create(FunctionName);
    const config = await functions.call('CreateFunctionUrlConfig', {
      FunctionName,
      AuthType: 'NONE',
      ...given,
    });
    await functions.call('AddPermission', {
      FunctionName,
      StatementId: 'everybody',
      Action: 'lambda:InvokeFunctionUrl',
      Principal: '*',
      FunctionUrlAuthType: 'NONE',
    });
    return /[a-z2-7]{32}/.exec(config.body.FunctionUrl)?.[0] ?? assert.fail(config.text);
  }

  const hostOf = (id: string): string => `${id}.lambda-url.us-east-1.localhost:3000`;
  const send = (target: string, rest: Partial<TestRequest> = {}): Promise<TestResponse> =>
    functions.send({ method: 'GET', target, ...rest });

  function eventSeen(): { cookies?: string[]; headers: Record<string, string>; rawPath: string } {
    const payload = functions.environments.invoked.at(-1)?.event.payload ?? Buffer.alloc(0);
    return JSON.parse(Buffer.from(payload).toString());
  }

  async function answering<T>(result: Input, work: () => Promise<T>): Promise<T> {
    functions.environments.answer(() => ({
      kind: 'response',
      payload: Buffer.from(JSON.stringify(result)),
    }));
    try {
      return await work();
    } finally {
      functions.environments.answer(({ payload }) => ({ kind: 'response', payload }));
    }
  }

  /** What a page of a function would need to act as a page of the site, or to change how browsers treat the site. */
  const hostileHeaders = {
    'content-type': 'text/html',
    'content-security-policy': "script-src 'unsafe-inline'",
    'x-content-type-options': 'none',
    'set-cookie': 'hob_session=chosen; Path=/',
    'service-worker-allowed': '/',
    'clear-site-data': '"*"',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'public-key-pins': 'pin-sha256="x"; max-age=31536000',
    'alt-svc': 'h2="elsewhere.test:443"; ma=31536000; persist=1',
    'access-control-allow-origin': 'https://elsewhere.test',
    'access-control-allow-credentials': 'true',
    'www-authenticate': 'Basic realm="Hob"',
    refresh: '0; url=https://elsewhere.test/',
    link: '</assets/site.css>; rel=preload; as=style',
    'report-to': '{"endpoints":[{"url":"https://elsewhere.test"}]}',
    'reporting-endpoints': 'default="https://elsewhere.test"',
    nel: '{"report_to":"default","max_age":31536000}',
    sourcemap: '/map',
    'x-sourcemap': '/map',
    'origin-agent-cluster': '?1',
    'accept-ch': 'Sec-CH-UA-Full-Version-List',
    'set-login': 'logged-in',
    'speculation-rules': '"/rules.json"',
    'use-as-dictionary': 'match="/*"',
    'x-frame-options': 'ALLOWALL',
  };

  describe('on a path of the site', () => {
    it('are given no cookie, no credentials and no address of a page of the site', async () => {
      const id = await open();
      for (const authorization of [
        'token hob_0123456789',
        'Bearer hob_0123456789',
        'Basic cm9vdDpzZWNyZXQ=',
      ]) {
        const answer = await send(`/lambda-url/${id}/`, {
          headers: {
            cookie: '__Host-hob_session=secret; hob_session=secret; hob_visit=secret; other=secret',
            authorization,
            referer: 'http://functions.test/settings/tokens',
            'x-own': 'passed on',
          },
        });
        assert.equal(answer.status, 200, answer.text);
        const { cookies, headers } = eventSeen();
        assert.equal(cookies, undefined);
        const { authorization: seen, cookie, referer, 'x-own': own } = headers;
        assert.deepEqual(
          [seen, cookie, referer, own],
          [undefined, undefined, undefined, 'passed on'],
        );
      }
    });

    it('send documents that run nothing and change nothing of the site', async () => {
      const id = await open();
      const result = {
        statusCode: 200,
        headers: { ...hostileHeaders, 'X-Own': 'retained', 'Cache-Control': 'max-age=5' },
        cookies: ['hob_session=chosen; Path=/'],
        body: '<script>alert(1)</script>',
      };
      const { headers, text } = await answering(result, () => send(`/lambda-url/${id}/`));
      assert.equal(text, '<script>alert(1)</script>');
      assert.equal(headers['content-security-policy'], 'sandbox');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['content-type'], 'text/html');
      assert.equal(headers['x-own'], 'retained');
      assert.equal(headers['cache-control'], 'max-age=5');
      const replaced = ['content-type', 'content-security-policy', 'x-content-type-options'];
      for (const name of Object.keys(hostileHeaders)) {
        if (!replaced.includes(name)) assert.equal(headers[name], undefined, name);
      }
    });

    it('send errors of our own in the same way', async () => {
      const answer = await send(`/lambda-url/${'a'.repeat(32)}/`);
      assertRefused(
        answer,
        'ResourceNotFoundException',
        'The resource you requested does not exist.',
      );
      assert.equal(answer.headers['content-security-policy'], 'sandbox');
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    });

    it('send no document whose parts have headers of their own', async () => {
      const id = await open();
      const type = 'Multipart/x-mixed-replace; boundary=x';
      const result = { statusCode: 200, headers: { 'content-type': type }, body: '--x' };
      const { headers } = await answering(result, () => send(`/lambda-url/${id}/`));
      assert.equal(headers['content-type'], 'application/octet-stream');
    });

    it('let other origins read answers as the site does: without credentials', async () => {
      const id = await open({
        Cors: {
          AllowOrigins: ['https://page.test'],
          AllowMethods: ['GET'],
          AllowCredentials: true,
        },
      });
      const origin = 'https://page.test';
      const answer = await send(`/lambda-url/${id}/`, { headers: { origin } });
      const preflight = await send(`/lambda-url/${id}/`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'GET' },
      });
      for (const { headers } of [answer, preflight]) {
        assert.equal(headers['access-control-allow-origin'], origin);
        assert.equal(headers['access-control-allow-credentials'], undefined);
      }
    });
  });

  describe('on a host of their own', () => {
    it('are reported', async () => {
      const config = await functions
        .create('reported')
        .then(() =>
          functions.call('CreateFunctionUrlConfig', { FunctionName: 'reported', AuthType: 'NONE' }),
        );
      assert.match(
        config.body.FunctionUrl,
        /^http:\/\/[a-z2-7]{32}\.lambda-url\.us-east-1\.localhost:3000\/$/,
      );
    });

    it('answer every path, those of the service included', async () => {
      const id = await open();
      for (const path of [
        '/',
        '/api/v3/user',
        '/2015-03-31/functions/',
        '/lambda-url/x/',
        '/%ff',
      ]) {
        const answer = await send(path, { headers: { host: hostOf(id) } });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(eventSeen().rawPath, path);
      }
    });

    it('answer nothing else below their domain', async () => {
      const ran = functions.environments.invoked.length;
      for (const host of [
        `${'a'.repeat(32)}.lambda-url.us-east-1.localhost`,
        'x.lambda-url.us-east-1.localhost',
        'lambda-url.us-east-1.localhost:3000',
        `a.${await open()}.lambda-url.us-east-1.localhost`,
        'LAMBDA-URL.us-east-1.localhost',
      ]) {
        for (const path of ['/', '/2015-03-31/functions/', '/lambda-url/x/']) {
          assertRefused(
            await send(path, { headers: { host } }),
            'ResourceNotFoundException',
            'The resource you requested does not exist.',
          );
        }
      }
      assert.equal(functions.environments.invoked.length, ran);
    });

    it('keep what apps send and are sent', async () => {
      const id = await open();
      const result = { statusCode: 200, headers: hostileHeaders, cookies: ['own=1; Path=/'] };
      const answer = await answering(result, () =>
        send('/', {
          headers: { host: hostOf(id), cookie: 'own=1; b=2', authorization: 'Bearer own' },
        }),
      );
      for (const [name, value] of Object.entries(hostileHeaders)) {
        const expected = name === 'set-cookie' ? `${value},own=1; Path=/` : value;
        assert.equal(answer.headers[name], expected, name);
      }
      const { cookies, headers } = eventSeen();
      assert.deepEqual([cookies, headers['authorization']], [['own=1', 'b=2'], 'Bearer own']);
    });

    it('are not given the signature that let a caller in', async () => {
      const id = await open({ AuthType: 'AWS_IAM' });
      const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
      const head = signRequest(
        { method: 'GET', target: '/', headers: { host: hostOf(id) } },
        { ...testKey, time },
      );
      const pairs = Array.from({ length: head.rawHeaders.length / 2 }, (_, index) =>
        head.rawHeaders.slice(index * 2, index * 2 + 2),
      );
      const answer = await send('/', { headers: Object.fromEntries(pairs) });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(eventSeen().headers['authorization'], undefined);
    });

    it('name the port of the scheme where the address has none', async () => {
      const id = await open();
      await send('/', { headers: { host: hostOf(id).replace(':3000', '') } });
      assert.equal(eventSeen().headers['x-forwarded-port'], '80');
    });

    it('give a proxy no instructions', async () => {
      const id = await open();
      const headers = {
        'X-Accel-Redirect': '/internal/',
        'X-Sendfile': '/etc/passwd',
        'X-Own': '1',
      };
      const answer = await answering({ statusCode: 200, headers }, () =>
        send('/', { headers: { host: hostOf(id) } }),
      );
      assert.deepEqual(
        [answer.headers['x-accel-redirect'], answer.headers['x-sendfile'], answer.headers['x-own']],
        [undefined, undefined, '1'],
      );
    });

    /** As written for Express: addresses that begin with a slash are the app's own. */
    it('serve an app that redirects to /x, links to /assets and keeps a cookie for /', async () => {
      const id = await open();
      functions.environments.answer(({ payload }) => ({
        kind: 'response',
        payload: Buffer.from(JSON.stringify(app(JSON.parse(Buffer.from(payload).toString())))),
      }));
      const { port } = new URL(await functions.listen());
      const host = `${id}.lambda-url.us-east-1.localhost:${port}`;
      const sent = await ask(port, '/', { host });
      assert.deepEqual([sent.status, sent.headers.location], [302, '/x']);
      assert.deepEqual(sent.headers['set-cookie'], ['visit=1; Path=/']);
      const page = await ask(port, '/x', { host, cookie: 'visit=1' });
      assert.equal(page.text, '<script src="/assets/app.js"></script> visit=1');
      assert.equal(page.headers['content-security-policy'], undefined);
      assert.equal((await ask(port, '/assets/app.js', { host })).text, 'run()');
    });
  });
});

function app({ rawPath, cookies = [] }: { rawPath: string; cookies?: string[] }): Input {
  switch (rawPath) {
    case '/':
      return { statusCode: 302, headers: { Location: '/x' }, cookies: ['visit=1; Path=/'] };
    case '/x':
      return {
        statusCode: 200,
        headers: { 'Content-Type': 'text/html' },
        body: `<script src="/assets/app.js"></script> ${cookies.join()}`,
      };
    case '/assets/app.js':
      return { statusCode: 200, headers: { 'Content-Type': 'text/javascript' }, body: 'run()' };
    default:
      return { statusCode: 404 };
  }
}

/** Over a real socket, as a client whose resolver knows the host. */
function ask(
  port: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}
