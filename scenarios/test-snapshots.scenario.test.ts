/** Reset, snapshot and restore (docs/testing-with-hob.md). */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';

import {
  CreateFunctionCommand,
  GetFunctionCommand,
  InvokeCommand,
  PublishVersionCommand,
  ResourceNotFoundException,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionActiveV2,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';

import { createEd25519KeyPair } from '#forge/ssh-keys/openssh-key-pair.ts';
import { zipOf } from '#functions/code/testing/zip-of.ts';
import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { type ControlledServer, startControlledServer } from './controlled-server.ts';
import { clientOf, functionEnvironment, functionOf } from './function-service.ts';
import { git, remoteUrl } from './git-client.ts';

const skip = testPostgresUrl === undefined ? false : 'snapshots need SQLite';

describe('reset, snapshot and restore', { timeout: 180_000, skip }, () => {
  let server: ControlledServer;
  before(async () => {
    const environment = { ...functionEnvironment, HOB_SSH_PORT: '0' };
    server = await startControlledServer({ environment });
  });
  after(() => server.close());
  beforeEach(async () => {
    assert.equal((await server.control('POST', '/reset')).status, 204);
  });

  const createRepository = async (name: string): Promise<number> => {
    const created = await server.api('POST', '/user/repos', { name, auto_init: true });
    assert.equal(created.status, 201);
    return created.body.id;
  };
  const write = async (name: string, text: string): Promise<void> => {
    const content = Buffer.from(text).toString('base64');
    const path = `/repos/root/${name}/contents/${text}.txt`;
    assert.equal((await server.api('PUT', path, { message: text, content })).status, 201);
  };
  const files = async (name: string): Promise<string[]> => {
    const { body } = await server.api('GET', `/repos/root/${name}/contents/`);
    return body.map((file: { name: string }) => file.name);
  };

  it('a reset forgets rows, repositories and users, and the same token goes on', async () => {
    const id = await createRepository('notes');
    assert.equal((await server.api('POST', '/admin/users', { login: 'ada' })).status, 201);
    assert.equal((await server.control('POST', '/reset')).status, 204);
    assert.equal((await server.api('GET', '/repos/root/notes')).status, 404);
    assert.equal((await server.api('GET', '/users/ada')).status, 404);
    // The numbers begin again, and nothing of the former repository is there.
    assert.equal(await createRepository('other'), id);
    assert.deepEqual(await files('other'), ['README.md']);
  });

  it('a restore brings back what was there, and nothing that came later', async () => {
    await createRepository('notes');
    await write('notes', 'one');
    assert.equal((await server.control('POST', '/snapshot', { name: 'first' })).status, 204);
    await write('notes', 'two');
    await createRepository('late');
    assert.deepEqual((await server.control('GET', '/snapshots')).body, ['first']);
    for (let round = 0; round < 2; round += 1) {
      assert.equal((await server.control('POST', '/restore', { name: 'first' })).status, 204);
      // The caches, of which the first answer fills one, know nothing of what was.
      for (let twice = 0; twice < 2; twice += 1) {
        assert.deepEqual(await files('notes'), ['README.md', 'one.txt']);
      }
      assert.equal((await server.api('GET', '/repos/root/late')).status, 404);
      await write('notes', 'three');
      assert.deepEqual(await files('notes'), ['README.md', 'one.txt', 'three.txt']);
    }
  });

  it('git pushes and fetches before and after, over HTTP and SSH', async () => {
    await createRepository('notes');
    const folder = await mkdtemp(join(tmpdir(), 'hob-snapshot-push-'));
    try {
      const { publicKey, privateKey } = createEd25519KeyPair('push');
      await writeFile(join(folder, 'key'), privateKey, { mode: 0o600 });
      const added = await server.api('POST', '/user/keys', { title: 'push', key: publicKey });
      assert.equal(added.status, 201);
      const { ssh_url: overSsh } = (await server.api('GET', '/repos/root/notes')).body;
      const overHttp = remoteUrl(server.url, server.login, server.token, 'root/notes');
      const command = `core.sshCommand=ssh -F none -i ${join(folder, 'key')} -o BatchMode=yes -o IdentityAgent=none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`;
      const work = join(folder, 'work');
      await git(folder, 'clone', '-q', overHttp, work);
      const push = async (message: string, to: string): Promise<void> => {
        await git(work, 'commit', '-q', '--allow-empty', '-m', message);
        await git(work, '-c', command, 'push', '-q', to, 'HEAD:main');
      };
      const subjects = async (): Promise<string[]> => {
        const { body } = await server.api('GET', '/repos/root/notes/commits');
        return body.map(({ commit }: { commit: { message: string } }) => commit.message);
      };
      await push('one', overHttp);
      await push('two', overSsh);
      assert.equal((await server.control('POST', '/snapshot', { name: 'pushed' })).status, 204);
      await push('three', overHttp);
      await push('four', overSsh);
      assert.deepEqual((await subjects()).slice(0, 4), ['four', 'three', 'two', 'one']);
      assert.equal((await server.control('POST', '/restore', { name: 'pushed' })).status, 204);
      assert.deepEqual((await subjects()).slice(0, 2), ['two', 'one']);
      await push('five', overSsh);
      assert.equal((await subjects())[0], 'five');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('a function has the code, configuration and versions of then after a restore, and is gone after a reset', async () => {
    const FunctionName = 'worker';
    const client = clientOf(server.url);
    const patience = { client, maxWaitTime: 60, minDelay: 0.05, maxDelay: 1 };
    const answering = (word: string) => ({
      'index.mjs': `export const handler = async () => '${word}, ' + process.env.WORD;`,
    });
    const answer = async (Qualifier = '$LATEST'): Promise<string> => {
      const { Payload } = await client.send(new InvokeCommand({ FunctionName, Qualifier }));
      return Buffer.from(Payload ?? []).toString();
    };
    const make = async (): Promise<void> => {
      const settings = { Environment: { Variables: { WORD: 'one' } } };
      await client.send(
        new CreateFunctionCommand(functionOf(FunctionName, answering('first'), settings)),
      );
      await waitUntilFunctionActiveV2(patience, { FunctionName });
    };
    const update = async (word: string, variable: string): Promise<void> => {
      const ZipFile = zipOf(answering(word));
      await client.send(new UpdateFunctionCodeCommand({ FunctionName, ZipFile }));
      await waitUntilFunctionUpdatedV2(patience, { FunctionName });
      const Environment = { Variables: { WORD: variable } };
      await client.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment }));
      await waitUntilFunctionUpdatedV2(patience, { FunctionName });
      await client.send(new PublishVersionCommand({ FunctionName }));
    };
    try {
      await make();
      assert.equal(await answer(), '"first, one"');
      await client.send(new PublishVersionCommand({ FunctionName }));
      const read = new GetFunctionCommand({ FunctionName });
      const { Configuration: snapshotted } = await client.send(read);
      assert.equal((await server.control('POST', '/snapshot', { name: 'works' })).status, 204);
      for (const word of ['second', 'third']) {
        // The environment that has answered is warm, and must not answer after the restore.
        await update(word, 'two');
        assert.equal(await answer(), `"${word}, two"`);
        assert.equal(await answer('2'), `"${word}, two"`);
        assert.equal((await server.control('POST', '/restore', { name: 'works' })).status, 204);
        assert.deepEqual((await client.send(read)).Configuration, snapshotted);
        assert.equal(await answer(), '"first, one"');
        assert.equal(await answer('1'), '"first, one"');
        await assert.rejects(answer('2'), ResourceNotFoundException);
      }
      assert.equal((await server.control('POST', '/reset')).status, 204);
      await assert.rejects(answer(), ResourceNotFoundException);
      // Nothing stands in the way of the same name.
      await make();
      assert.equal(await answer(), '"first, one"');
    } finally {
      client.destroy();
    }
  });

  it('a write beside a reset is before it or after it, never half', async () => {
    const writing = Array.from({ length: 8 }, (_, index) => createRepository(`r${index}`));
    const resetting = server.control('POST', '/reset');
    await Promise.all(writing);
    assert.equal((await resetting).status, 204);
    const { body } = await server.api('GET', '/user/repos');
    for (const { name } of body) assert.deepEqual(await files(name), ['README.md']);
    // What was before the reset can be made again.
    const present = new Set(body.map((repository: { name: string }) => repository.name));
    for (let index = 0; index < 8; index += 1) {
      if (!present.has(`r${index}`)) await createRepository(`r${index}`);
    }
  });

  it('a restore from before a rotation of the service key brings the former key back', async () => {
    assert.equal((await server.control('POST', '/snapshot', { name: 'before' })).status, 204);
    await server.admin('rotate-service-key');
    await createRepository('late');
    assert.equal((await server.control('POST', '/restore', { name: 'before' })).status, 204);
    assert.equal((await server.api('GET', '/repos/root/late')).status, 404);
    // Another rotation opens everything that is sealed.
    await server.admin('rotate-service-key');
    assert.equal((await server.control('POST', '/reset')).status, 204);
    await createRepository('notes');
  });

  it('a restore that fails leaves what was there', async () => {
    await createRepository('notes');
    await server.control('POST', '/snapshot', { name: 'damaged' });
    await writeFile(join(server.folder, 'test-snapshots', 'damaged', 'hob.sqlite'), 'no database');
    const failed = await server.control('POST', '/restore', { name: 'damaged' });
    assert.equal(failed.status, 500);
    assert.deepEqual(await files('notes'), ['README.md']);
    assert.equal((await server.control('POST', '/reset')).status, 204);
    assert.equal((await server.api('GET', '/repos/root/notes')).status, 404);
  });

  it('refuses a snapshot that there is not, and names that are none', async () => {
    const missing = await server.control('POST', '/restore', { name: 'never' });
    assert.equal(missing.status, 404);
    assert.match(missing.body.message, /no snapshot "never"/);
    for (const name of ['', '..', '../x', '.start', 'a/b', 7]) {
      assert.equal((await server.control('POST', '/snapshot', { name })).status, 422);
      assert.equal((await server.control('POST', '/restore', { name })).status, 422);
    }
  });
});
