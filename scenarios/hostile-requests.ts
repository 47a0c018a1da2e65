/** What a program may say at the interfaces that it has, byte by byte, and should not. */

const base = '/2018-06-01/runtime';

/** Each on a connection of its own, while an event is under way. */
export function hostileRequests(): string[] {
  const names = ['', '../x', 'a\tb', '-', 'x'.repeat(8000), '\u00e9', '"', '__proto__'];
  return [
    ...malformed,
    ...['GET', 'POST', 'PUT', 'DELETE', 'TRACE', 'CONNECT'].flatMap((method) =>
      paths.map((path) => request(method, path)),
    ),
    ...names.map((name) =>
      request(
        'POST',
        '/2020-01-01/extension/register',
        '{"events":["INVOKE"]}',
        `Lambda-Extension-Name: ${name}\r\n`,
      ),
    ),
    ...hostileBodies.flatMap((body) => [
      request('POST', '/2020-01-01/extension/register', body, 'Lambda-Extension-Name: own\r\n'),
      request('POST', `${base}/init/error`, body),
      request('POST', `${base}/restore/error`, body),
      request('PUT', '/2022-07-01/telemetry', body, 'Lambda-Extension-Identifier: 1\r\n'),
    ]),
    ...['', '..', '%2e%2e', 'x'.repeat(7000), 'other', '__proto__'].flatMap((id) => [
      request('POST', `${base}/invocation/${id}/response`, '"x"'),
      request('POST', `${base}/invocation/${id}/error`, '{}'),
    ]),
  ];
}

/** To telemetry, by an extension that is known; `port` is one that the host listens on. */
export function subscriptions(port: number): string[] {
  const destinations = [
    `http://127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `http://sandbox.localdomain:${port}/`,
    `http://sandbox:${port}/`,
    `http://sandbox.localdomain@127.0.0.1:${port}/`,
    `http://sandbox%2elocaldomain:${port}/`,
    'http://sandbox:0/',
    'http://sandbox:99999/',
    'http://sandbox/\r\nX-Injected: yes',
    'https://sandbox/',
    'file:///etc/passwd',
    'http://[::1]/',
    'http://169.254.169.254/latest',
    '',
  ];
  return destinations.map((URI) =>
    JSON.stringify({
      schemaVersion: '2022-07-01',
      types: ['platform', 'function'],
      destination: { protocol: 'HTTP', URI },
    }),
  );
}

/** Instead of the response to an event. */
export const hostileResponses: readonly string[] = [
  ...['text/html\tx', 'application/json, text/html', `${'x'.repeat(6000)}/x`, '', '\u00e9'].map(
    (type) => response('"x"', `Content-Type: ${type}\r\n`),
  ),
  ...['streaming', 'Streaming', 'streaming\t', 'buffered', 'x'].map((mode) =>
    response('"x"', `Lambda-Runtime-Function-Response-Mode: ${mode}\r\n`),
  ),
  streamed('application/vnd.awslambda.http-integration-response', [
    JSON.stringify({
      statusCode: 99999,
      headers: { 'x-injected\r\nset-cookie': 'a', 'set-cookie': 'b\r\nx-injected: 1' },
      cookies: ['c\r\nx-injected: 1', '\u0000'],
    }),
    '\0\0\0\0\0\0\0\0',
    'body',
  ]),
  streamed('application/vnd.awslambda.http-integration-response', ['{"statusCode":', '\0\0\0']),
  streamed(
    'x/y',
    ['piece'],
    'Lambda-Runtime-Function-Error-Type: Odd\tStatus: success\r\nLambda-Runtime-Function-Error-Body: !!!\r\n',
  ),
  streamed('x/y', ['piece'], 'X-Injected: yes\r\nSet-Cookie: a=b\r\nContent-Length: 5\r\n'),
  streamed('x/y', ['piece'], `X: ${'x'.repeat(70_000)}\r\n`),
  // A length that is none, and pieces that end too soon.
  head(
    `${base}/invocation/REQUEST-ID/response`,
    'Transfer-Encoding: chunked\r\n',
    'zz\r\nx\r\n0\r\n\r\n',
  ),
  head(
    `${base}/invocation/REQUEST-ID/response`,
    'Transfer-Encoding: chunked\r\n',
    'ffffffffffffffff\r\nx',
  ),
  head(
    `${base}/invocation/REQUEST-ID/response`,
    'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n',
    '0\r\n\r\n',
  ),
  head(`${base}/invocation/REQUEST-ID/response`, 'Content-Length: 99999999999999999999\r\n', 'x'),
  head(`${base}/invocation/REQUEST-ID/response`, 'Content-Length: 10\r\n', 'x'),
  response('x'.repeat(7_000_000)),
  ...['', 'Odd\tx', 'Function.A\tStatus: success', 'x'.repeat(6000), '\u00e9'].flatMap((type) =>
    [...bodiesOfErrors()].map((body) =>
      head(
        `${base}/invocation/REQUEST-ID/error`,
        `Lambda-Runtime-Function-Error-Type: ${type}\r\nLambda-Runtime-Function-XRay-Error-Cause: ${type}\r\nContent-Length: ${body.length}\r\n`,
        body,
      ),
    ),
  ),
];

/** Before the first event is asked for; the program ends after it. Short enough for a variable. */
export const hostileStarts: readonly string[] = [
  ...[...bodiesOfErrors()]
    .filter((body) => body.length < 500)
    .map((body) =>
      request(
        'POST',
        `${base}/init/error`,
        body,
        'Lambda-Runtime-Function-Error-Type: Runtime.Odd\tx\r\n',
      ),
    ),
  request(
    'POST',
    `${base}/init/error`,
    '{}',
    'Lambda-Runtime-Function-Error-Type: a\r\nLambda-Runtime-Function-Error-Type: b\r\n',
  ),
  request('POST', `${base}/invocation/1/response`, '{}'),
  request('GET', `${base}/restore/next`),
  'GET / HTTP/9.9\r\n\r\n',
  '\0\0\0\0',
];

function* bodiesOfErrors(): Generator<string> {
  yield '';
  yield 'not JSON \0 \u00ff';
  yield '{"errorMessage":"two\\nlines \\u0000 \\ud800 \\u001b[31m","errorType":{"a":1},"stackTrace":"x"}';
  yield '{"errorMessage":["__proto__"],"__proto__":{"errorMessage":"x"}}';
  yield `{"errorMessage":"${'x'.repeat(100_000)}"}`;
  yield '[]';
  yield '{"a":'.repeat(2000);
}

const hostileBodies: readonly string[] = [
  ...bodiesOfErrors(),
  '{"events":"INVOKE"}',
  '{"events":[1,null,"X"]}',
  '{"types":["x"],"buffering":{"maxItems":-1}}',
];

const paths: readonly string[] = [
  '/',
  '//',
  '/..',
  '/2015-03-31/functions',
  `${base}/invocation/../init/error`,
  `${base}/invocation/next/`,
  `${base}/restore/next`,
  '/2020-01-01/extension/event/next',
  '/2020-01-01/extension/exit/error',
  '/2020-01-01/extension/init/error',
  '/2020-08-15/logs',
];

const malformed: readonly string[] = [
  '\r\n\r\n',
  'GET / HTTP/1.1\n\n',
  'GET / HTTP/1.0\r\n\r\n',
  'GET http://example.com/ HTTP/1.1\r\n\r\n',
  `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
  `GET / HTTP/1.1\r\n${'A: b\r\n'.repeat(5000)}\r\n`,
  'GET / HTTP/1.1\r\nHost : x\r\n\r\n',
  'GET / HTTP/1.1\r\n Host: x\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
  'POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\nx',
  'POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  'GET / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n',
  'GET /\0 HTTP/1.1\r\n\r\n',
  '\x16\x03\x01\x02\x00',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
];

function request(method: string, path: string, body = '', headers = ''): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function head(path: string, headers: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n${body}`;
}

/** A whole response to an event. */
export function response(body: string, headers = ''): string {
  return head(
    `${base}/invocation/REQUEST-ID/response`,
    `${headers}Content-Length: ${body.length}\r\n`,
    body,
  );
}

/** A response in pieces. */
export function streamed(type: string, pieces: readonly string[], trailers = ''): string {
  const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
  const headers = `Content-Type: ${type}\r\nLambda-Runtime-Function-Response-Mode: streaming\r\nTransfer-Encoding: chunked\r\n`;
  return head(`${base}/invocation/REQUEST-ID/response`, headers, `${chunks}0\r\n${trailers}\r\n`);
}
