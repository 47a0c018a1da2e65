import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { until } from './patience.ts';
import { removeFolder, type RunningServer, startServer } from './running-server.ts';

const run = promisify(execFile);
const withoutSsh =
  spawnSync('ssh', ['-V']).status === 0
    ? false
    : 'OpenSSH is not installed: apt-get install openssh-client';
const pushes = 4;

/** Keys by ssh-keygen, the host key by what the start prints, and git with OpenSSH's client: as people use it. */
describe('git over SSH on a running server', { skip: withoutSsh, timeout: 600_000 }, () => {
  const flags = ['--ssh-port', '0'];
  let folder: string;
  let server: RunningServer;
  let work: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-ssh-scenario-'));
    work = join(folder, 'work');
    server = await start();
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')]);
  });
  after(async () => {
    const status = await server.stop();
    await removeFolder(folder);
    assert.equal(status, 0, server.output());
  });

  /** Resolves once it has printed its last line about SSH: the line that says that it is ready comes before. */
  async function start(): Promise<RunningServer> {
    const started = await startServer(join(folder, 'data'), { flags });
    await until(() => /host key .*\(ecdsa-sha2-nistp256\)/.test(started.output()) || undefined);
    return started;
  }

  async function api(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${server.url}/api/v3${path}`, {
      method,
      headers: { authorization: `token ${server.token}`, 'user-agent': 'scenario' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** `127.0.0.1:PORT` of SSH, as the start has printed it. */
  function port(): string {
    return /git over SSH +ssh:\/\/git@127\.0\.0\.1:(\d+)\//.exec(server.output())?.[1] ?? '';
  }

  /** Fails as git fails. */
  async function git(...words: readonly string[]): Promise<string> {
    const options = [
      '-F',
      'none',
      '-i',
      join(folder, 'key'),
      '-p',
      port(),
      ...['BatchMode=yes', 'IdentitiesOnly=yes', 'IdentityAgent=none'].flatMap((o) => ['-o', o]),
      '-o',
      `UserKnownHostsFile=${join(folder, 'known_hosts')}`,
    ];
    const { stdout } = await run('git', words, {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_SSH_COMMAND: ['ssh', ...options].join(' '),
        GIT_AUTHOR_NAME: 'A',
        GIT_AUTHOR_EMAIL: 'a@example.test',
        GIT_COMMITTER_NAME: 'A',
        GIT_COMMITTER_EMAIL: 'a@example.test',
      },
    });
    return stdout.trim();
  }

  /** Trusts the host by the fingerprint that the start has printed, as ssh-keygen shows it. */
  async function trustHost(): Promise<void> {
    const { stdout } = await run('ssh-keyscan', ['-p', port(), '-t', 'ed25519', '127.0.0.1']);
    const known = join(folder, 'known_hosts');
    await writeFile(known, stdout);
    const shown = (await run('ssh-keygen', ['-lf', known])).stdout.split(' ')[1] ?? '';
    assert.match(shown, /^SHA256:/);
    assert.ok(server.output().includes(`${shown} (ssh-ed25519)`), server.output());
  }

  test('is trusted by the fingerprint that its start prints', async () => {
    const key = await readFile(join(folder, 'key.pub'), 'utf8');
    const added = await api('POST', '/user/keys', { title: 'laptop', key });
    assert.equal(added.status, 201, await added.text());
    await api('POST', '/user/repos', { name: 'pushed' });
    await trustHost();
    const shown = await (await api('GET', '/repos/root/pushed')).text();
    const { ssh_url: url }: { ssh_url: string } = JSON.parse(shown);
    assert.equal(url, `ssh://git@127.0.0.1:${port()}/root/pushed.git`);
    await git('clone', '-q', url, work);
  });

  test('has every acknowledged push after it was killed, and the same host key', async () => {
    const acknowledged = new Map<string, string>();
    for (let count = 0; count < pushes; count += 1) {
      const branch = `branch-${count}`;
      await git('-C', work, 'commit', '-q', '--allow-empty', '-m', branch);
      const head = await git('-C', work, 'rev-parse', 'HEAD');
      const url = `ssh://git@127.0.0.1:${port()}/root/pushed.git`;
      const pushing = git('-C', work, 'push', '-q', url, `HEAD:refs/heads/${branch}`).then(
        () => acknowledged.set(branch, head),
        () => undefined,
      );
      // The last ones are killed as they are under way, wherever that is.
      if (count < pushes / 2) await pushing;
      else {
        await server.kill();
        await pushing;
        const printed = server.output();
        server = await start();
        const keys = /host key .*/g;
        assert.deepEqual(server.output().match(keys), printed.match(keys));
        await rm(join(folder, 'known_hosts'));
        await trustHost();
      }
    }
    assert.ok(acknowledged.size >= pushes / 2);
    const url = `ssh://git@127.0.0.1:${port()}/root/pushed.git`;
    const refs = await git('ls-remote', '--heads', url);
    for (const [branch, head] of acknowledged) {
      assert.ok(refs.includes(`${head}\trefs/heads/${branch}`), `${branch}: ${refs}`);
      const shown = await api('GET', `/repos/root/pushed/branches/${branch}`);
      assert.equal(shown.status, 200);
    }
  });
});
