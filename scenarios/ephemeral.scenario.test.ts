/** A server that retains nothing. */
// Runs on SQLite alone: a server that retains nothing refuses another database.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

import { endWithThisProcess } from './child-processes.ts';
import { rootFolder } from './running-server.ts';

const program = join(rootFolder, 'hob.ts');
const { DATABASE_URL: _, ...environment } = process.env;

describe('hob serve --ephemeral', { timeout: 120_000 }, () => {
  it('serves, and removes its data directory when it stops', async () => {
    const child = spawn(process.execPath, [program, 'serve', '--ephemeral', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...environment,
        HOB_ADMIN_LOGIN: 'root',
        HOB_ADMIN_TOKEN: 'a-token-of-a-scenario-only',
      },
    });
    endWithThisProcess(child);
    const ended = once(child, 'exit');
    let url: string | undefined;
    for await (const line of createInterface(child.stdout)) {
      url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      if (url !== undefined) break;
    }
    assert.ok(url);
    const headers = { authorization: 'token a-token-of-a-scenario-only', 'user-agent': 'hob-test' };
    const body = JSON.stringify({ name: 'r', auto_init: true });
    const created = await fetch(`${url}/api/v3/user/repos`, { method: 'POST', headers, body });
    assert.equal(created.status, 201);
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      'ls -d /dev/shm/hob-ephemeral-"$1"-* "${TMPDIR:-/tmp}"/hob-ephemeral-"$1"-* 2>/dev/null || true',
      'sh',
      String(child.pid),
    ]);
    const folder = stdout.trim();
    await access(join(folder, 'hob.sqlite'));
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
    await assert.rejects(access(folder), { code: 'ENOENT' });
  });

  for (const more of [['--data', '/nowhere'], ['--data=/nowhere'], ['--database', 'sqlite:x']]) {
    it(`refuses ${more[0]}, which would be retained`, async () => {
      const child = spawn(process.execPath, [program, 'serve', '--ephemeral', ...more], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: environment,
      });
      endWithThisProcess(child);
      const [lines, [code]] = await Promise.all([child.stderr.toArray(), once(child, 'exit')]);
      assert.equal(code, 2);
      assert.match(lines.join(''), /--ephemeral has a data directory and a database of its own/);
    });
  }
});
