/** What a client may send to a function URL, byte by byte, and what a function may answer there. */
import { response, streamed } from './hostile-requests.ts';

/** At a function URL of this path, which ends with a slash; the function looks around and returns what it sees. */
export function urlRequests(path: string): string[] {
  const targets = [
    path,
    path.slice(0, -1),
    `${path}%00%ff/..%2f..%2f`,
    `${path}../../healthz`,
    `${path}?__proto__=1&constructor=2&a=1&a=2&%00=%ff&=&&&`,
    `${path}?${'a=1&'.repeat(1500)}`,
    `${path}\u00ff`,
    `${path}a b`,
    `${path}#fragment`,
    `http://127.0.0.1${path}`,
    path.replace('/lambda-url', '//lambda-url'),
    path.toUpperCase(),
    `${path.slice(0, -2)}/`,
  ];
  const headers = [
    'X-Amzn-Trace-Id: Root=1;\tParent=\u00ff;Sampled=9',
    `X-Amzn-Trace-Id: ${'Lineage=a:1;'.repeat(500)}`,
    'Cookie: a=1; =; ;; b\tc=\u00ff',
    'X-Own: \u0080\u00ff',
    `X-Long: ${'x'.repeat(10_000)}`,
    '__proto__: x\r\nconstructor: y',
    'Host: a.lambda-url.us-east-1.localhost',
    'Host: \u00ff',
    'Host: [::1',
    'Transfer-Encoding: chunked\r\nContent-Length: 5',
    'Content-Length: 99999999999999999999',
    'Content-Length: -1',
    'Expect: a miracle',
    'Upgrade: websocket\r\nConnection: upgrade',
    'Range: bytes=0-0,1-1',
    'If-None-Match: *',
    'Origin: null\r\nAccess-Control-Request-Method: GET',
    'Authorization: AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=, Signature=',
    'X-Forwarded-For: two\tof, them',
    'Folded: a\r\n b',
    'Nul: a\0b',
    'Many: x\r\n'.repeat(300).slice(0, -2),
  ];
  const bodies = [
    ['text/plain; charset=\u00ff', '\u00ff\u00fe\0'],
    ['application/json', '['.repeat(100_000)],
    ['application/json', '{"__proto__":{"do":"look"},"a":"\\ud800"}'],
    ['multipart/form-data', '--\r\n'],
    ['', 'x'],
    ['\u00ff', 'x'.repeat(100_000)],
  ];
  const close = 'Connection: close';
  return [
    ...targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`),
    ...['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH', 'SOURCE', 'CONNECT', 'get', 'NONE'].map(
      (method) => `${method} ${path} HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`,
    ),
    ...headers.map((lines) => {
      const host = lines.startsWith('Host') ? '' : 'Host: x\r\n';
      return `GET ${path} HTTP/1.1\r\n${host}${lines}\r\n${close}\r\n\r\n`;
    }),
    ...bodies.map(
      ([type, body = '']) =>
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n${close}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ),
    `GET ${path} HTTP/1.0\r\n\r\n`,
    `GET ${path} HTTP/9.9\r\n\r\n`,
    `GET ${path}\r\n\r\n`,
  ];
}

/** What a function may answer, of which a function URL makes a response. */
export function urlResponses(): string[] {
  const heads: unknown[] = [
    ...[204, 205, 304, 100, 101, 999, -1, 1.5, '200', '2e2', null, {}, [], { toString: 1 }].map(
      (statusCode) => ({ statusCode, body: 'a body' }),
    ),
    ...[
      { 'content-length': '5' },
      { 'Content-Length': 5, 'content-length': 6 },
      { 'transfer-encoding': 'chunked' },
      { connection: 'upgrade', upgrade: 'h2c' },
      { trailer: 'x-injected' },
      { 'x-own': 'a\r\nx-injected: 1' },
      { 'x-own\r\nx-injected': '1' },
      { 'x-own': 'a\nx-injected: 1' },
      { 'x-own': '\0' },
      { 'x-own': 'é\u{1F980}\u2028' },
      { 'x-own': ['a', { b: 1 }], 'x-other': { toString: 1 } },
      { '': 'x', ' ': 'y', ':status': '200' },
      { __proto__: null, constructor: 'x', toString: 'y' },
      { 'set-cookie': 'a=b', 'Set-Cookie': 'c=d' },
      { date: 'never', server: 'x', vary: '*' },
      { 'content-type': '\u00ff', 'content-encoding': 'gzip', location: 'javascript:alert(1)' },
      { 'x-long': 'x'.repeat(5000) },
      Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x-${index}`, 'x'])),
      'not headers',
      [['x-own', 'x']],
    ].map((headers) => ({ statusCode: 200, headers, body: 'a body' })),
    ...[['a=b\r\nx-injected: 1'], [null, 1, {}], 'a=b', [{ toString: 1 }]].map((cookies) => ({
      statusCode: 200,
      cookies,
    })),
    ...[5, {}, [], '!!!', '\ud800', true].map((body) => ({
      statusCode: 200,
      body,
      isBase64Encoded: true,
    })),
  ];
  const whole = [...heads.map((value) => JSON.stringify(value)), '', 'no JSON', '"text"', '[', '1'];
  const type = 'application/vnd.awslambda.http-integration-response';
  return [
    ...whole.map((text) => response(text)),
    ...heads
      .slice(0, 30)
      .map((value) => streamed(type, [`${JSON.stringify(value)}\0\0\0\0\0\0\0\0`, 'body'])),
    streamed(type, ['{"statusCode":200}']),
    streamed(type, ['x'.repeat(70_000)]),
    streamed('text/plain', ['piece'], 'Lambda-Runtime-Function-Error-Type: Odd\r\n'),
  ].filter((bytes) => bytes.length < 6000);
}
