import assert from 'node:assert/strict';
import { execFile, type ExecFileOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';

import { sendError, startS3Server } from '#functions/code/testing/s3-server.ts';

const program = join(import.meta.dirname, '..', '..', 'hob.ts');

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Without root, no host gives functions users of their own. */
const unprivileged = { uid: 65_534, gid: 65_534 };
const canBeUnprivileged =
  spawnSync(process.execPath, [program, '--version'], unprivileged).status === 0;

/** `hob serve`, for as long as it takes to end by itself. */
function serve(...args: readonly string[]): Promise<Ended> {
  return serveAs({}, ...args);
}

function serveAs(
  user: Pick<ExecFileOptions, 'uid' | 'gid' | 'env'>,
  ...args: readonly string[]
): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { ...user, timeout: 20_000, encoding: 'utf8' } as const;
    execFile(process.execPath, [program, 'serve', ...args], options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, out, err });
    });
  });
}

describe('hob serve', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-serve-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('reports every wrong setting in a line of its own, and ends with 2', async () => {
    const { code, err } = await serve('--port', 'x', '--previews', 'maybe', '--prot', '1');
    assert.equal(code, 2);
    assert.match(err, /--port must be a whole number from 0 to 65535, not "x"\.\n/);
    assert.match(err, /--previews must be strict or lenient, not "maybe"\.\n/);
    assert.match(err, /Did you mean --port\?/);
  });

  test('does not stand by for a data directory that no other server has', async () => {
    for (const other of ['--ephemeral', '--stop-at-eof']) {
      const { code, err } = await serve('--port', '0', '--standby', other);
      assert.deepEqual(
        [code, err],
        [2, `hob: --standby waits for the data directory of another server: remove ${other}.\n`],
      );
    }
  });

  for (const data of [['--ephemeral'], ['--data', 'data']]) {
    test(`ends by a signal while its input goes on, with ${data[0]}`, async (context) => {
      const cwd = await mkdtemp(join(tmpdir(), 'hob-serve-'));
      context.after(() => rm(cwd, { recursive: true, force: true }));
      const args = [program, 'serve', '--port', '0', '--stop-at-eof', ...data];
      const server = spawn(process.execPath, args, {
        cwd,
        env: { ...process.env, HOB_FUNCTIONS: 'off' },
        stdio: ['pipe', 'pipe', 'inherit'],
        timeout: 60_000,
        killSignal: 'SIGKILL',
      });
      const ended = once(server, 'exit');
      for await (const line of createInterface({ input: server.stdout })) {
        if (line.includes('Hob is ready')) server.kill('SIGTERM');
      }
      assert.deepEqual(await ended, [0, null]);
    });
  }

  test('does not make a store of code its own where it retains nothing', async () => {
    const env = { ...process.env, HOB_CODE: folder };
    const { code, err } = await serveAs({ env }, '--port', '0', '--ephemeral');
    assert.equal(code, 2);
    assert.match(err, /--ephemeral retains nothing.* remove HOB_CODE\.\n$/);
    assert.deepEqual(await readdir(folder), []);
  });

  test('prints what a store of code answers as text, which controls no terminal', async () => {
    const store = await startS3Server();
    const data = await mkdtemp(join(tmpdir(), 'hob-serve-'));
    try {
      store.fault = (_request, response) => {
        const hostile = '&#27;]0;title&#7;';
        sendError(response, { status: 403, code: 'AccessDenied', message: hostile });
        return true;
      };
      const { endpoint = '', key } = store.location;
      const env = {
        ...process.env,
        HOB_CODE: 's3://code/hob',
        HOB_CODE_ENDPOINT: endpoint,
        HOB_CODE_ACCESS_KEY_ID: key?.id,
        HOB_CODE_SECRET_ACCESS_KEY: key?.secret,
      };
      const { err } = await serveAs({ env }, '--port', '0', '--data', data);
      assert.match(err, /AccessDenied: \\u001b\]0;title\\u0007/);
      assert.equal(err.includes(key?.secret ?? ''), false);
    } finally {
      await store.close();
      await rm(data, { recursive: true });
    }
  });

  test('lists its settings', async () => {
    const { code, out } = await serve('--help');
    assert.equal(code, 0);
    for (const name of ['HOB_PORT', 'HOB_DATA', 'DATABASE_URL', 'HOB_RATE_LIMIT_USER']) {
      assert.ok(out.includes(name), name);
    }
  });

  test('reports in a line that it cannot start, and ends', async () => {
    const { code, err } = await serve(
      '--port',
      '0',
      '--data',
      folder,
      '--database',
      'sqlite:/dev/null/x',
    );
    assert.equal(code, 1);
    assert.match(err, /^hob: Cannot open the database [^\n]*\n$/);
  });

  test(
    'does not start where functions are isolated less than is required',
    { skip: canBeUnprivileged ? false : 'needs root' },
    async () => {
      const required = ['--ephemeral', '--port', '0', '--require-isolation', 'full'];
      const { code, out, err } = await serveAs(unprivileged, ...required);
      assert.equal(out, '');
      assert.match(err, /^hob: This host provides isolation tier "\w+", but "full" is required\./);
      assert.equal(code, 1);
    },
  );

  test('does not take an address that is none of this machine’s', async () => {
    const { code, err } = await serve('--port', '0', '--host', '192.0.2.1', '--data', folder);
    assert.equal(code, 1);
    assert.match(err, /Cannot listen on 192\.0\.2\.1: not an address of this machine/);
  });
});
