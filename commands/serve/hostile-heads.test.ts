import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startTestApplication, type TestApplication } from './testing/test-application.ts';

const usual = 'Host: forge.test\r\nUser-Agent: test\r\n';
const next = `GET /healthz HTTP/1.1\r\n${usual}\r\n`;
const functionHost = `${'a'.repeat(32)}.lambda-url.us-east-1.localhost`;

/**
 * Two programs on the way of such a request may disagree where it ends or whom it is for, so nothing that follows it on the
 * connection is believed (RFC 9112, sections 3.2, 5.2, 6.1, 6.3 and 11.2).
 */
const ambiguous: Readonly<Record<string, string>> = {
  'no Host': 'GET /api/v3 HTTP/1.1\r\nUser-Agent: test\r\n\r\n',
  'two Hosts': `GET /api/v3 HTTP/1.1\r\n${usual}Host: forge.test\r\n\r\n`,
  'two Hosts for a page': `GET /login HTTP/1.1\r\n${usual}Host: other.test\r\n\r\n`,
  'two Hosts for git': `GET /a/b/info/refs HTTP/1.1\r\n${usual}host: other.test\r\n\r\n`,
  'two Hosts for functions': `GET /2015-03-31/functions HTTP/1.1\r\n${usual}HOST: forge.test\r\n\r\n`,
  'two Hosts of which one is of a function': `GET / HTTP/1.1\r\nHost: ${functionHost}\r\n${usual}\r\n`,
  'a Host with a space': 'GET / HTTP/1.1\r\nHost: a b\r\nUser-Agent: test\r\n\r\n',
  'a Host with a path': 'GET / HTTP/1.1\r\nHost: a/b\r\nUser-Agent: test\r\n\r\n',
  'a Host with a user': 'GET / HTTP/1.1\r\nHost: u@a\r\nUser-Agent: test\r\n\r\n',
  'a Host with a query': 'GET / HTTP/1.1\r\nHost: a?b\r\nUser-Agent: test\r\n\r\n',
  'a Host with two ports': 'GET / HTTP/1.1\r\nHost: a:80:80\r\nUser-Agent: test\r\n\r\n',
  'a Host with a port that is none': 'GET / HTTP/1.1\r\nHost: a:999999\r\nUser-Agent: test\r\n\r\n',
  'a Host with brackets inside': 'GET / HTTP/1.1\r\nHost: a[::1]\r\nUser-Agent: test\r\n\r\n',
  'a list as Host': 'GET / HTTP/1.1\r\nHost: a, b\r\nUser-Agent: test\r\n\r\n',
  'a folded Host': 'GET / HTTP/1.1\r\nHost: a\r\n b\r\nUser-Agent: test\r\n\r\n',
  'a folded header': `GET / HTTP/1.1\r\n${usual}X-A: a\r\n b\r\n\r\n`,
  'a length and chunks': `POST /session HTTP/1.1\r\n${usual}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'chunks and a length': `POST /session HTTP/1.1\r\n${usual}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`,
  'two lengths': `POST /session HTTP/1.1\r\n${usual}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  'the same length twice': `POST /session HTTP/1.1\r\n${usual}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
  'a list of lengths': `POST /session HTTP/1.1\r\n${usual}Content-Length: 2, 2\r\n\r\n{}`,
  'a length with a sign': `POST /session HTTP/1.1\r\n${usual}Content-Length: +2\r\n\r\n{}`,
  'a length below zero': `POST /session HTTP/1.1\r\n${usual}Content-Length: -2\r\n\r\n{}`,
  'a length in hexadecimal': `POST /session HTTP/1.1\r\n${usual}Content-Length: 0x2\r\n\r\n{}`,
  'a coding that is none': `POST /session HTTP/1.1\r\n${usual}Transfer-Encoding: xchunked\r\n\r\n{}`,
  'a coding that ends nowhere': `POST /session HTTP/1.1\r\n${usual}Transfer-Encoding: gzip\r\n\r\n{}`,
  'a coding before chunks': `POST /session HTTP/1.1\r\n${usual}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  'chunks within chunks': `POST /session HTTP/1.1\r\n${usual}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
  'codings in two headers': `POST /session HTTP/1.1\r\n${usual}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'chunks in HTTP/1.0': `POST /session HTTP/1.0\r\n${usual}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'a chunk with a size that is none': `POST /session HTTP/1.1\r\n${usual}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
  'a name with a space': `GET / HTTP/1.1\r\n${usual}X-A : a\r\n\r\n`,
  'a header without a name': `GET / HTTP/1.1\r\n${usual}: a\r\n\r\n`,
  'lines that end with LF': 'GET / HTTP/1.1\nHost: a\nUser-Agent: test\n\n',
  'a CR within a value': `GET / HTTP/1.1\r\n${usual}X-A: a\rb\r\n\r\n`,
  'a NUL within a value': `GET / HTTP/1.1\r\n${usual}X-A: a\0b\r\n\r\n`,
  'HTTP/0.9': 'GET /login\r\n\r\n',
  'HTTP/1.2': `GET /login HTTP/1.2\r\n${usual}\r\n`,
  'HTTP/2.0': `GET /login HTTP/2.0\r\n${usual}Connection: keep-alive\r\n\r\n`,
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a method in small letters': `get /login HTTP/1.1\r\n${usual}\r\n`,
  'a method that is none': `FOO /login HTTP/1.1\r\n${usual}\r\n`,
  'a target that is none': `GET login HTTP/1.1\r\n${usual}\r\n`,
  'an asterisk that is no question for options': `GET * HTTP/1.1\r\n${usual}\r\n`,
  'a URL of another scheme': `GET ftp://forge.test/ HTTP/1.1\r\n${usual}\r\n`,
  'a URL without a host': `GET http:///login HTTP/1.1\r\n${usual}\r\n`,
  'a URL with a user': `GET http://u@forge.test/login HTTP/1.1\r\n${usual}\r\n`,
  'a URL with half a host': `GET http://[::/login HTTP/1.1\r\n${usual}\r\n`,
  'bytes beyond ASCII in the target': `GET /\u00e9 HTTP/1.1\r\n${usual}\r\n`,
};

describe('heads of requests that can be read in two ways', () => {
  let application: TestApplication;
  before(async () => {
    application = await startTestApplication();
  });
  after(() => application.close());

  for (const [name, bytes] of Object.entries(ambiguous)) {
    it(`${name}: 400, and the connection ends`, async () => {
      const { statuses, text, closed } = await application.sendRaw(bytes + next);
      assert.deepEqual([statuses, closed], [[400], true], text);
      assert.match(text, /^connection: close\r$/im);
    });
  }

  it('a head that is too large: 431, and the connection ends', async () => {
    for (const bytes of [
      `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${usual}\r\n`,
      `GET / HTTP/1.1\r\n${usual}${'X-A: b\r\n'.repeat(4000)}\r\n`,
    ]) {
      const { statuses, closed } = await application.sendRaw(bytes);
      assert.deepEqual([statuses, closed], [[431], true]);
    }
  });

  it('of HEAD are refused without content', async () => {
    for (const [bytes, status] of [
      [`HEAD /${'a'.repeat(20_000)} HTTP/1.1\r\n${usual}\r\n`, 431],
      [`HEAD / HTTP/1.1\r\n${usual}A b\r\n\r\n`, 400],
    ] as const) {
      const { statuses, text } = await application.sendRaw(bytes);
      assert.deepEqual(statuses, [status]);
      assert.equal(text.split('\r\n\r\n')[1], '', text);
    }
  });
});

describe('targets of requests', () => {
  let application: TestApplication;
  before(async () => {
    application = await startTestApplication();
  });
  after(() => application.close());

  const ending = `${usual}Connection: close\r\n\r\n`;

  it('never make a fault of ours of a URL that no client should ask', async () => {
    for (const target of [
      '/%',
      '/%zz',
      '/%ff/%fe',
      '/repos/%00/%00',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/../../etc/passwd',
      '//evil.test/x',
      '/\\evil.test',
      '/login;a=b',
      '/login#x',
      '/login?return_to=%zz%ff',
      '/__proto__/constructor',
      '/a/b/info/refs?service=%zz',
      `/${'a'.repeat(15_000)}`,
      `/repos/${'a'.repeat(7000)}/${'%41'.repeat(2000)}`,
      '/'.repeat(10_000),
      `/2015-03-31/functions/${'%25'.repeat(3000)}`,
      `/lambda-url/${'%'.repeat(5000)}`,
      'http://forge.test/%ff',
      'http://forge.test//',
      `http://${functionHost}/%`,
    ]) {
      const bytes = `GET ${target} HTTP/1.1\r\n${ending}`;
      const { statuses, text } = await application.sendRaw(bytes);
      const [status = 500] = statuses;
      assert.ok(
        statuses.length === 1 && status < 500,
        `${target.slice(0, 60)}: ${text.slice(0, 300)}`,
      );
    }
    const faults = application.logged.filter((line) => /"level":"(?:error|fatal)"/.test(line));
    assert.deepEqual(faults, []);
  });

  it('in absolute form are those of their path, on their own host', async () => {
    for (const [target, status] of [
      ['http://forge.test/healthz', 200],
      ['HTTP://FORGE.test:80/healthz', 200],
      ['https://forge.test/healthz', 200],
      ['http://forge.test', 200],
      ['http://forge.test?x', 200],
      [`http://${functionHost}/healthz`, 404],
      [`http://${functionHost}`, 404],
    ] as const) {
      const { statuses, text } = await application.sendRaw(`GET ${target} HTTP/1.1\r\n${ending}`);
      assert.deepEqual(statuses, [status], text);
      assert.equal(/x-amzn-errortype/i.test(text), status === 404, text);
    }
  });

  it('of a host that the target does not name do not count', async () => {
    const { text } = await application.sendRaw(
      `GET http://forge.test/healthz HTTP/1.1\r\nHost: ${functionHost}\r\nConnection: close\r\n\r\n`,
    );
    assert.match(text, /\{"status":"up"\}/);
  });

  it('that ask for the options of the whole server are answered', async () => {
    for (const target of ['*', 'http://forge.test']) {
      const { statuses } = await application.sendRaw(`OPTIONS ${target} HTTP/1.1\r\n${ending}`);
      assert.deepEqual(statuses, [204]);
    }
  });
});
