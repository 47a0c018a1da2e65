import assert from 'node:assert/strict';
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
import { integrationType } from './http-response.ts';
import type { FunctionOutcome } from '../environments/execution-environment.ts';

type Input = Readonly<Record<string, unknown>>;

const everybody = {
  StatementId: 'urlPermission',
  Action: 'lambda:InvokeFunctionUrl',
  Principal: '*',
  FunctionUrlAuthType: 'NONE',
} as const;

function result(value: unknown): FunctionOutcome {
  return { kind: 'response', payload: Buffer.from(JSON.stringify(value)) };
}

/** JSON that can be read, of which recursion makes no text. */
const nestedHeader: FunctionOutcome = {
  kind: 'response',
  payload: Buffer.from(
    `{"statusCode":200,"headers":{"x-own":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}}`,
  ),
};

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

function streamed(contentType: string, ...texts: readonly string[]): FunctionOutcome {
  const trailer = Promise.resolve(undefined);
  return { kind: 'stream', body: pieces(...texts), contentType, trailer };
}

describe('function URLs', () => {
  let functions: TestFunctions;
  let serial = 0;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  const create = (given: Input) =>
    functions.call('CreateFunctionUrlConfig', { FunctionName: 'fn', AuthType: 'NONE', ...given });
  /** A function of its own that everybody may use; gives its URL without the last slash. */
  async function open(given: Input = {}): Promise<string> {
    serial += 1;
    const FunctionName = `open-${serial}`;
    await functions.create(FunctionName);
    const config = await create({ FunctionName, ...given });
    await functions.call('AddPermission', { FunctionName, ...everybody });
    return originOf(config);
  }

  const originOf = (config: TestResponse): string => config.body.FunctionUrl.slice(0, -1);

  function eventSeen(): Record<string, unknown> {
    const payload = functions.environments.invoked.at(-1)?.event.payload ?? Buffer.alloc(0);
    return JSON.parse(Buffer.from(payload).toString());
  }

  const hostOf = (origin: string): string => new URL(origin).host;
  /** Of the address, the host is sent as a header and the rest as it is. */
  const send = (address: string, rest: Partial<TestRequest> = {}): Promise<TestResponse> => {
    const [, host = '', target = ''] = /^http:\/\/([^/]+)(.*)$/.exec(address) ?? [];
    return functions.send({
      method: 'GET',
      target: target === '' ? '/' : target,
      ...rest,
      headers: { host, ...rest.headers },
    });
  };

  it('reject callers that no policy allows', async () => {
    await functions.create('shut');
    const target = `${originOf(await create({ FunctionName: 'shut' }))}/`;
    const forbidden = /^Forbidden\. For troubleshooting Function URL authorization issues, see: /;
    assertRefused(await send(target), 'AccessDeniedException', forbidden);
    await functions.call('AddPermission', {
      FunctionName: 'shut',
      ...everybody,
      FunctionUrlAuthType: undefined,
      PrincipalOrgID: 'o-1234567890',
    });
    assertRefused(await send(target), 'AccessDeniedException', forbidden);
  });

  it('accept a caller who signs with a key of the account', async () => {
    await functions.create('signed');
    const config = await create({ FunctionName: 'signed', AuthType: 'AWS_IAM' });
    await functions.call('AddPermission', { FunctionName: 'signed', ...everybody });
    const origin = originOf(config);
    const target = '/a%20b?x=1';
    assertRefused(await send(`${origin}${target}`), 'AccessDeniedException', /^Forbidden/);
    const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const sign = (secretAccessKey: string): TestRequest => {
      const plain = { method: 'GET', target, headers: { host: hostOf(origin) } };
      const head = signRequest(plain, { ...testKey, secretAccessKey, time });
      const pairs = Array.from({ length: head.rawHeaders.length / 2 }, (_, index) =>
        head.rawHeaders.slice(index * 2, index * 2 + 2),
      );
      return { method: 'GET', target, headers: Object.fromEntries(pairs) };
    };
    const wrong = await functions.send(sign('guess'));
    assert.equal(wrong.headers['x-amzn-errortype'], 'InvalidSignatureException');
    const right = await functions.send(sign(testKey.secretAccessKey));
    assert.equal(right.status, 200, right.text);
    const { requestContext } = eventSeen();
    const { authorizer, accountId } = Object(requestContext);
    assert.equal(accountId, '123456789012');
    assert.equal(authorizer.iam.userArn, 'arn:aws:iam::123456789012:user/ada');
  });

  it('turn a request into an event, its path as it came', async () => {
    const origin = await open();
    const answer = await send(`${origin}/pa2%Fth/1?q=query&multi=foo&multi=%2Fbar`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'Extra-Headers': 'With WeiRd CapS',
        cookie: 'a=1; b=2',
        'user-agent': 'test/echo',
      },
      body: '{"foo": "bar"}',
    });
    assert.equal(answer.status, 200, answer.text);
    const event = eventSeen();
    const { headers, requestContext, ...rest } = event;
    assert.deepEqual(rest, {
      version: '2.0',
      routeKey: '$default',
      rawPath: '/pa2%Fth/1',
      rawQueryString: 'q=query&multi=foo&multi=%2Fbar',
      cookies: ['a=1', 'b=2'],
      queryStringParameters: { q: 'query', multi: 'foo,/bar' },
      body: '{"foo": "bar"}',
      isBase64Encoded: false,
    });
    const { 'extra-headers': extra, cookie } = Object(headers);
    assert.deepEqual([extra, cookie], ['With WeiRd CapS', undefined]);
    const { http, time, requestId, accountId, domainName } = Object(requestContext);
    assert.deepEqual(http, {
      method: 'POST',
      path: '/pa2%Fth/1',
      protocol: 'HTTP/1.1',
      sourceIp: '127.0.0.1',
      userAgent: 'test/echo',
    });
    assert.deepEqual(
      [time, accountId, domainName],
      ['02/Jan/2026:03:04:05 +0000', 'anonymous', hostOf(origin)],
    );
    assert.equal(answer.headers['x-amzn-requestid'], requestId);
    assert.equal(functions.environments.invoked.at(-1)?.event.requestId, requestId);
  });

  it('are known by the host of AWS and by a path of the site too', async () => {
    const urlId = hostOf(await open()).split('.')[0] ?? '';
    for (const address of [
      `http://${urlId}.lambda-url.us-east-1.on.aws/a?b=c`,
      `http://functions.test:3000/lambda-url/${urlId}/a?b=c`,
    ]) {
      const answer = await send(address);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([eventSeen()['rawPath'], eventSeen()['rawQueryString']], ['/a', 'b=c']);
    }
  });

  it('hand over bytes in base64', async () => {
    const path = await open();
    const body = Buffer.from([0, 255, 1]);
    await send(path, {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream' },
      body,
    });
    const event = eventSeen();
    assert.deepEqual([event['body'], event['isBase64Encoded']], ['AP8B', true]);
  });

  const answers: readonly (readonly [string, FunctionOutcome, string, number, string])[] = [
    ['an object', result({ hello: 'world' }), '{"hello":"world"}', 200, 'application/json'],
    ['a list', result(['hello', 3, true]), '["hello",3,true]', 200, 'application/json'],
    ['a number', result(3.1), '3.1', 200, 'application/json'],
    ['a text', result('hi'), '"hi"', 200, 'application/json'],
    ['nothing', result(null), 'null', 200, 'application/json'],
    [
      'an answer',
      result({ statusCode: 201, body: 'body123', headers: { 'Content-Type': 'text/plain' } }),
      'body123',
      201,
      'text/plain',
    ],
    [
      'an answer with an object for a body',
      result({ statusCode: 200, body: { a: 1 } }),
      '{"a":1}',
      200,
      'application/json',
    ],
    [
      'an answer in base64',
      result({ statusCode: 200, body: 'aGk=', isBase64Encoded: true }),
      'hi',
      200,
      'application/json',
    ],
    ...[
      { statusCode: 'no' },
      // No final answer: clients would wait for one, or take the next answer for it.
      { statusCode: 101 },
      { statusCode: 600 },
      { statusCode: 200, headers: { 'not a name': 'x' } },
      { statusCode: 200, headers: { 'x-own': 'a\r\nset-cookie: b=c' } },
      { statusCode: 200, headers: { trailer: 'x-own' }, cookies: ['a=1\n'] },
      // No text can be made of these.
      { statusCode: { toString: 1, valueOf: 1 } },
      { statusCode: 200, headers: { 'x-own': { toString: 1 } } },
      { statusCode: 200, cookies: [{ toString: 1 }] },
    ].map(
      (value) =>
        [
          `what HTTP cannot say: ${JSON.stringify(value)}`,
          result(value),
          'Internal Server Error',
          502,
          'application/json',
        ] as const,
    ),
    ['a header of lists in lists', nestedHeader, 'Internal Server Error', 502, 'application/json'],
    [
      'headers of the connection',
      result({ statusCode: 200, headers: { trailer: 'x-own', connection: 'upgrade' }, body: 'x' }),
      'x',
      200,
      'application/json',
    ],
    [
      'a failure',
      { kind: 'failed', payload: Buffer.from('{}'), errorType: 'Error' },
      'Internal Server Error',
      502,
      'application/json',
    ],
    [
      'a stream, whole',
      streamed('application/octet-stream', '{"a"', ':1}'),
      '{"a":1}',
      200,
      'application/json',
    ],
  ];

  for (const [name, outcome, text, status, type] of answers) {
    it(`answer with ${name}`, async () => {
      const path = await open();
      functions.environments.answer(() => outcome);
      const answer = await send(path);
      functions.environments.answer((event) => ({ kind: 'response', payload: event.payload }));
      assert.deepEqual([answer.text, answer.status], [text, status]);
      assert.equal(answer.headers['content-type']?.split(';')[0], type);
    });
  }

  for (const status of [204, 205, 304]) {
    it(`answer with ${status} without the content that the function returns`, async () => {
      const whole = await open();
      const head = { statusCode: status, headers: { etag: '"1"' } };
      functions.environments.answer(() => result({ ...head, body: 'content' }));
      const answer = await send(whole);
      assert.deepEqual([answer.status, answer.text], [status, '']);
      assert.equal(answer.headers['etag'], '"1"');
      assert.ok(['0', undefined].includes(answer.headers['content-length']));

      const asItComes = await open({ InvokeMode: 'RESPONSE_STREAM' });
      const read = Promise.withResolvers<void>();
      async function* body(): AsyncGenerator<Uint8Array> {
        yield Buffer.from(`${JSON.stringify(head)}\0\0\0\0\0\0\0\0content`);
        yield Buffer.from('more');
        read.resolve();
      }
      functions.environments.answer(() => ({
        ...streamed(integrationType),
        body: body(),
      }));
      const streamedResponse = await send(asItComes);
      assert.deepEqual([streamedResponse.status, streamedResponse.text], [status, '']);
      await read.promise;
      functions.environments.answer((event) => ({ kind: 'response', payload: event.payload }));
    });
  }

  it('set every cookie', async () => {
    const path = await open();
    functions.environments.answer(() => result({ statusCode: 200, cookies: ['a=1', 'b=2'] }));
    assert.equal((await send(path)).headers['set-cookie'], 'a=1,b=2');
  });

  it('hand answers on as they come where they are configured to', async () => {
    const path = await open({ InvokeMode: 'RESPONSE_STREAM' });
    functions.environments.answer(() => streamed('text/plain', 'Hello', ', world!'));
    const plain = await send(path);
    assert.deepEqual([plain.text, plain.headers['content-type']], ['Hello, world!', 'text/plain']);
    functions.environments.answer(() =>
      streamed(
        integrationType,
        '{"statusCode":203,"headers":{"X-Own":"yes"},"cook',
        'ies":["a=1"]}\0\0\0\0\0\0\0\0Hel',
        'lo',
      ),
    );
    const headed = await send(path);
    assert.deepEqual(
      [headed.status, headed.text, headed.headers['x-own'], headed.headers['set-cookie']],
      [203, 'Hello', 'yes', 'a=1'],
    );
    functions.environments.answer(() => streamed(integrationType, 'no head at all'));
    assert.equal((await send(path)).status, 502);
    functions.environments.answer((event) => ({ kind: 'response', payload: event.payload }));
  });

  it('say which other origins may use them', async () => {
    const path = await open({
      Cors: {
        AllowOrigins: ['https://page.test'],
        AllowMethods: ['GET'],
        AllowHeaders: ['x-own'],
        ExposeHeaders: ['x-reported'],
        AllowCredentials: true,
        MaxAge: 60,
      },
    });
    const ran = functions.environments.invoked.length;
    const preflight = (origin: string, method: string) =>
      send(path, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': method },
      });
    const allowed = await preflight('https://page.test', 'GET');
    assert.equal(allowed.headers['access-control-allow-origin'], 'https://page.test');
    assert.equal(allowed.headers['access-control-allow-methods'], 'GET');
    assert.equal(allowed.headers['access-control-allow-headers'], 'x-own');
    assert.equal(allowed.headers['access-control-max-age'], '60');
    for (const [origin, method] of [
      ['https://other.test', 'GET'],
      ['https://page.test', 'DELETE'],
    ] as const) {
      const refused = await preflight(origin, method);
      assert.equal(refused.headers['access-control-allow-origin'], undefined);
    }
    assert.equal(functions.environments.invoked.length, ran);
    functions.environments.answer(() =>
      result({
        statusCode: 200,
        headers: { 'Access-Control-Allow-Origin': '*', Vary: 'Accept' },
      }),
    );
    const answer = await send(path, { headers: { origin: 'https://page.test' } });
    functions.environments.answer((event) => ({ kind: 'response', payload: event.payload }));
    assert.equal(answer.headers['access-control-allow-origin'], 'https://page.test');
    assert.equal(answer.headers['access-control-expose-headers'], 'x-reported');
    assert.equal(answer.headers['vary'], 'Accept, Origin');
  });
});
