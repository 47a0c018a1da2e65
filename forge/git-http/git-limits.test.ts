import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';

import type { FastifyInstance } from 'fastify';

import { createForgeServer } from '../forge.ts';
import type { GitRepository } from '../git/git.ts';
import { GitError } from '../git/git-error.ts';
import { openIntents } from '../ref-updates/intent-store.ts';
import { gitClientEnvironment } from '../testing/git-client.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('a transfer that exceeds the limits of git', () => {
  let forge: TestForge;
  let owner: TestUser;
  let folder: string;
  let server: FastifyInstance;
  let exceeding: Exceeding = 'nothing';

  type Exceeding = 'nothing' | 'advertise' | 'uploadPack' | 'receivePack';

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    folder = await mkdtemp(join(tmpdir(), 'hob-git-limits-'));
    const repository = (id: number): GitRepository => {
      const real = forge.git.repository(id);
      return {
        ...real,
        advertise: async (...parameters) => {
          if (exceeding === 'advertise') throw limit();
          return real.advertise(...parameters);
        },
        uploadPack: async (...parameters) =>
          exceeding === 'uploadPack' ? failing() : real.uploadPack(...parameters),
        receivePack: (...parameters) => {
          const received = real.receivePack(...parameters);
          return exceeding === 'receivePack'
            ? { ...received, completed: received.completed.then(() => Promise.reject(limit())) }
            : received;
        },
      };
    };
    server = await createForgeServer({ ...forge.ports, git: { ...forge.git, repository } });
    await server.listen({ host: '127.0.0.1', port: 0 });
  });
  after(async () => {
    await server.close();
    await forge.close();
    await rm(folder, { recursive: true, force: true });
  });

  function limit(): GitError {
    return new GitError('limit', 'git took longer than 30 seconds.');
  }

  /** A response of git that fails before its first byte. */
  function failing(): Readable {
    const output = new PassThrough();
    setImmediate(() => output.destroy(limit()));
    return output;
  }

  /** What git prints, and how it ends. */
  function git(where: string, ...words: string[]): Promise<{ code: unknown; text: string }> {
    const env = gitClientEnvironment(folder);
    return new Promise((resolve) => {
      execFile('git', words, { cwd: where, env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, text: stdout + stderr }),
      );
    });
  }

  function remote(name: string): string {
    const { host } = new URL(server.listeningOrigin);
    return `http://${owner.login}:${owner.token}@${host}/${name}.git`;
  }

  async function whileExceeding(what: Exceeding, where: string, ...words: string[]) {
    exceeding = what;
    try {
      return await git(where, ...words);
    } finally {
      exceeding = 'nothing';
    }
  }

  test('is refused with a message that git shows, when refs are listed', async () => {
    const url = remote(await forge.repository(owner, { init: true }));
    const { code, text } = await whileExceeding('advertise', folder, 'ls-remote', url);
    assert.equal(code, 128, text);
    assert.match(text, /^remote: The git operation took too long/m);
    assert.match(text, /error: 422/);
  });

  for (const version of [0, 2]) {
    test(`is refused with a message that git shows, when it fetches in version ${version}`, async () => {
      const url = remote(await forge.repository(owner, { init: true }));
      const options = ['-c', `protocol.version=${version}`];
      const target = join(folder, `clone-${version}`);
      const { code, text } = await whileExceeding(
        'uploadPack',
        folder,
        ...options,
        'clone',
        '-q',
        url,
        target,
      );
      assert.equal(code, 128, text);
      assert.match(text, /^fatal: remote error: The git operation took too long/m);
    });
  }

  test('is refused with a message that git shows, when it pushes', async () => {
    const name = await forge.repository(owner, { init: true });
    const url = remote(name);
    const where = join(folder, 'pushing');
    await git(folder, 'clone', '-q', url, where);
    await git(where, 'commit', '-q', '--allow-empty', '-m', 'one');
    const tip = (await git(where, 'rev-parse', 'HEAD')).text.trim();
    const { code, text } = await whileExceeding('receivePack', where, 'push', '-q', url, 'HEAD');
    assert.notEqual(code, 0, text);
    assert.match(text, /^remote: The git operation took too long.* Fetch to see which refs moved/m);
    // Rows follow the refs although the client got no report.
    await forge.ports.background.idle();
    assert.deepEqual(await forge.database.read(openIntents), []);
    assert.equal((await owner.get(`/repos/${name}/branches/main`)).body.commit.sha, tip);
  });
});
