import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, write } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import {
  type AskedRequest,
  type ReceivedResponse,
  startTestApplication,
  type TestApplication,
} from '../testing/test-application.ts';
import { type AccessLog, accessLogTo, openAccessLog } from './access-log.ts';

describe('the access log', () => {
  let application: TestApplication;
  let onLine: (line: string) => void = () => {};
  before(async () => {
    application = await startTestApplication(
      {},
      { observers: [accessLogTo((line) => onLine(line))] },
    );
  });
  after(() => application.close());

  async function ask(
    asked: Partial<AskedRequest> & { readonly path: string },
  ): Promise<{ answer: ReceivedResponse; line: string; logged: Record<string, unknown> }> {
    const written = new Promise<string>((resolve) => {
      onLine = resolve;
    });
    const headers = { host: 'forge.test', 'user-agent': 'curl/8\u009b31m', ...asked.headers };
    const answer = await application.ask({ ...asked, headers });
    const line = await written;
    return { answer, line, logged: JSON.parse(line) };
  }

  it('has a line of JSON for each request, with the id that the client got', async () => {
    const { answer, line, logged } = await ask({ path: '/api/v3/users/nobody?page=2' });
    assert.equal(answer.status, 404);
    const { time, milliseconds, ...rest } = logged;
    assert.match(String(time), /^\d{4}-\d\d-\d\dT/);
    assert.equal(typeof milliseconds, 'number');
    assert.deepEqual(rest, {
      requestId: answer.headers['x-github-request-id'],
      client: '127.0.0.1',
      method: 'GET',
      path: '/api/v3/users/nobody',
      service: 'forge',
      operation: 'users/get-by-username',
      status: 404,
      userAgent: 'curl/8\u009b31m',
    });
    assert.ok(!line.includes('\u009b'), 'a terminal would obey it');
    assert.ok(line.endsWith('}\n'));
  });

  for (const userAgent of ['say "hi"', 'back\\slash', 'tab\tand \u0080', 'a\u2028b', '']) {
    it(`has the user agent ${JSON.stringify(userAgent)} as it was sent`, async () => {
      const header = Buffer.from(userAgent).toString('latin1');
      const { logged } = await ask({ path: '/api/v3/meta', headers: { 'user-agent': header } });
      assert.equal(logged['userAgent'], header);
    });
  }

  it('has no password of a URL', async () => {
    const headers = { 'user-agent': 'bot (https://joe:SECRET@example.com/)' };
    const { logged } = await ask({ path: '/api/v3/meta', headers });
    assert.equal(logged['userAgent'], 'bot (https://joe:[redacted]@example.com/)');
  });

  it('has no client where the connection was reset before it was accepted', () => {
    const lines: string[] = [];
    const request = { id: 'r', ip: undefined, method: 'GET', originalUrl: '/', headers: {} };
    const reply = { getHeader: () => undefined };
    const route = { service: 'site', operation: 'none', pattern: undefined } as const;
    const ended = { request, reply, status: undefined, milliseconds: 1 };
    accessLogTo((line) => lines.push(line))
      .ofRoute(route)
      .ended(ended as never);
    const { time, ...rest } = JSON.parse(lines[0] ?? '');
    assert.equal(typeof time, 'string');
    assert.deepEqual(rest, {
      requestId: 'r',
      method: 'GET',
      path: '/',
      service: 'site',
      operation: 'none',
      status: 499,
      milliseconds: 1,
    });
  });

  for (const [path, shown] of [
    ['/wp-login.php?a=b', '/wp-login.php'],
    ['/api/v3/nothing/x/y', '/api/v3/nothing/*'],
    ['/2015-03-31/nothing/x', '/2015-03-31/nothing/*'],
    ['/nothing/x/y/z/', '/nothing/*'],
    ['//x', '//*'],
  ] as const) {
    it(`has the beginning of ${path}, where nothing is`, async () => {
      const { answer, logged } = await ask({ path });
      assert.deepEqual([answer.status, logged['path']], [404, shown]);
    });
  }

  it('has the id that clients of the function service get', async () => {
    const { answer, logged } = await ask({ path: '/2015-03-31/functions/x' });
    assert.equal(logged['requestId'], answer.headers['x-amzn-requestid']);
    assert.equal(logged['operation'], 'GetFunction');
  });

  for (const [name, asked] of [
    ['a query', { path: '/api/v3/user?access_token=SECRET&client_secret=SECRET' }],
    ['credentials', { path: '/api/v3/user', headers: { authorization: 'token SECRET' } }],
    ['a cookie', { path: '/settings/tokens', headers: { cookie: 'hob_session=SECRET' } }],
    ['a referer', { path: '/', headers: { referer: 'http://forge.test/?code=SECRET' } }],
    ['a code in a path', { path: '/api/v3/app-manifests/SECRET/conversions', method: 'POST' }],
    ['an escaped code', { path: '/api/v3/app-manifests/%53ECRET/conversions', method: 'POST' }],
    ['a signed URL of code', { path: '/2015-03-31/code-archives/SECRET' }],
    ['a code in a path of another method', { path: '/api/v3/app-manifests/SECRET/conversions' }],
    ['a token in a path of nothing', { path: '/api/v3/applications/x/tokens/SECRET' }],
    ['a code with a slash too many', { path: '/2015-03-31/code-archives/SECRET/' }],
    ['an unreadable path', { path: '/api/v3/app-manifests/SECRET%ff/conversions', method: 'POST' }],
  ] as const) {
    it(`has no secret of ${name}`, async () => {
      const { line } = await ask(asked);
      assert.doesNotMatch(line, /SECRET|%53ECRET/);
    });
  }
});

describe('the file of an access log', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-access-log-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('has every line when the log is closed', async () => {
    const path = join(folder, 'log');
    const log = openAccessLog(openSync(path, 'w'));
    const application = await startTestApplication({}, { observers: [log] });
    for (let count = 0; count < 3; count += 1) {
      await application.ask({ path: '/api/v3/meta', headers: { 'user-agent': 't' } });
    }
    await application.close();
    await log.close();
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).path),
      ['/api/v3/meta', '/api/v3/meta', '/api/v3/meta'],
    );
  });
});

describe('the pipe of an access log', () => {
  let folder: string;
  let reader: number;
  let writer: number;
  let log: AccessLog;
  /** Longer than what a pipe holds. */
  const command = {
    client: '127.0.0.1',
    fingerprint: 'SHA256:x',
    command: undefined,
    repository: 'x'.repeat(70_000),
    exitStatus: 0,
    milliseconds: 1,
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-access-log-'));
  });
  after(() => rm(folder, { recursive: true }));

  function openPipe(name: string): void {
    const path = join(folder, name);
    execFileSync('mkfifo', [path]);
    reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    writer = openSync(path, 'w');
    log = openAccessLog(writer);
  }

  it('whose reader has gone is closed at once', async () => {
    openPipe('gone');
    closeSync(reader);
    log.sshCommandEnded(command);
    // Written after the line, it fails after the line has failed.
    await assert.rejects(promisify(write)(writer, 'x'), { code: 'EPIPE' });
    await new Promise(setImmediate);
    await log.close();
  });

  it('whose reader does not read has lines wait that take no more than twice their bytes', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    openPipe('unread');
    const { arrayBuffers } = process.memoryUsage();
    log.sshCommandEnded(command);
    const lines = 200;
    for (let line = 0; line < lines; line += 1) {
      log.sshCommandEnded({ ...command, repository: 'x/y' });
      context.mock.timers.tick(1000);
    }
    const added = process.memoryUsage().arrayBuffers - arrayBuffers;
    assert.ok(added < 2 ** 20, `${added} bytes`);
    closeSync(reader);
    await log.close();
  });

  /** As in the server, whose standard output does not block. */
  it('whose reader does not read keeps the process from ending for two seconds only', async () => {
    const program = `
      import { openAccessLog } from ${JSON.stringify(new URL('access-log.ts', import.meta.url))};
      process.stdout.write('');
      const log = openAccessLog();
      const command = ${JSON.stringify(command)};
      for (let line = 0; line < 20; line += 1) log.sshCommandEnded(command);
      await log.close();
      process.stderr.write('closed');`;
    const args = ['--input-type=module', '--eval', program];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [text, [code]] = await Promise.all([
      child.stderr.setEncoding('utf8').toArray(),
      once(child, 'exit'),
    ]);
    assert.deepEqual([text.join(''), code], ['closed', 0]);
  });
});
