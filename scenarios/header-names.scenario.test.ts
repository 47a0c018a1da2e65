import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { removeFolder, type RunningServer, startServer } from './running-server.ts';

describe('the names of headers on the wire', () => {
  let folder: string;
  let server: RunningServer;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-header-names-'));
    server = await startServer(join(folder, 'data'));
    const created = await fetch(`${server.url}/api/v3/user/repos`, {
      method: 'POST',
      headers: { authorization: `token ${server.token}` },
      body: JSON.stringify({ name: 'hello', auto_init: true }),
    });
    assert.equal(created.status, 201);
    for (const title of ['One', 'Two']) {
      const issue = await fetch(`${server.url}/api/v3/repos/root/hello/issues`, {
        method: 'POST',
        headers: { authorization: `token ${server.token}` },
        body: JSON.stringify({ title }),
      });
      assert.equal(issue.status, 201);
    }
  });
  after(async () => {
    assert.equal(await server.stop(), 0, server.output());
    await removeFolder(folder);
  });

  /** The bytes of a response's head, which a client's library would hand on in lower case. */
  async function headOf(path: string, ...lines: readonly string[]): Promise<string> {
    const { hostname, port, host } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const head = [
      ...(path.includes(' ') ? [`${path} HTTP/1.1`] : [`GET ${path} HTTP/1.1`]),
      `Host: ${host}`,
      'User-Agent: hob-test',
      'Connection: close',
      ...lines,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(socket, 'close');
    return Buffer.concat(chunks).toString('latin1').split('\r\n\r\n')[0] ?? '';
  }

  function namesIn(head: string): string[] {
    return head
      .split('\r\n')
      .slice(1)
      .map((line) => line.slice(0, line.indexOf(':')));
  }

  function assertNames(head: string, status: number, ...expected: readonly string[]): void {
    assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
    const names = namesIn(head);
    for (const name of expected) assert.ok(names.includes(name), `${name} is not in\n${head}`);
    const small = names.filter((name) => /^[a-z]/.test(name) && !name.startsWith('x-amzn-'));
    assert.deepEqual(small, [], head);
  }

  const issues = '/api/v3/repos/root/hello/issues?per_page=1';

  test('are those of the documentation, in a new response and in a cached one', async () => {
    const token = `Authorization: token ${server.token}`;
    const expected = [
      'Content-Type',
      'Content-Length',
      'Cache-Control',
      'ETag',
      'Link',
      'Vary',
      'Status',
      'X-GitHub-Media-Type',
      'X-GitHub-Request-Id',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-RateLimit-Used',
      'X-RateLimit-Resource',
      'X-OAuth-Scopes',
      'X-Accepted-OAuth-Scopes',
      'Access-Control-Allow-Origin',
      'Access-Control-Expose-Headers',
      'Strict-Transport-Security',
      'X-Frame-Options',
      'X-Content-Type-Options',
      'X-XSS-Protection',
      'Referrer-Policy',
      'Content-Security-Policy',
    ];
    const created = await headOf(issues, token);
    assertNames(created, 200, ...expected);
    const stored = await headOf(issues, token);
    assertNames(stored, 200, ...expected);
    assert.deepEqual(namesIn(stored).toSorted(), namesIn(created).toSorted());
    const tag = /^ETag: (.*)$/m.exec(stored)?.[1] ?? '';
    const unchanged = await headOf(issues, token, `If-None-Match: ${tag}`);
    assertNames(unchanged, 304, 'ETag', 'X-RateLimit-Remaining');
    const squeezed = await headOf(issues, token, 'Accept-Encoding: gzip');
    assertNames(squeezed, 200, 'ETag', 'Link');
  });

  test('are those of the documentation where something is made, moved or refused', async () => {
    const token = `Authorization: token ${server.token}`;
    assertNames(
      await headOf('/api/v3/repos/root/none'),
      404,
      'Content-Type',
      'X-GitHub-Media-Type',
    );
    assertNames(await headOf('OPTIONS /api/v3/user'), 204, 'Access-Control-Allow-Headers');
    const body = JSON.stringify({ title: 'Three' });
    const created = await headOf(
      'POST /api/v3/repos/root/hello/issues',
      token,
      `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    assertNames(created, 201, 'Location');
  });

  test("are those of the documentation for git's clients and browsers", async () => {
    const refs = await headOf('/root/hello.git/info/refs?service=git-upload-pack');
    assertNames(refs, 200, 'Content-Type', 'Cache-Control');
    const requested = await headOf('/root/hello.git/info/refs?service=git-receive-pack');
    assertNames(requested, 401, 'WWW-Authenticate');
    assertNames(await headOf('/root/hello', 'Accept: text/html'), 200, 'Content-Security-Policy');
    assertNames(await headOf('/login', 'Accept: text/html'), 200, 'Content-Type');
    assertNames(await headOf('/healthz'), 200, 'Content-Type');
  });

  test("are those of the documentation for the function service's clients", async () => {
    const refused = await headOf('/2015-03-31/functions/none');
    assertNames(refused, 403, 'x-amzn-RequestId', 'x-amzn-ErrorType', 'Content-Type');
  });
});
