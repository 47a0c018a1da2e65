import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import Fastify, { type FastifyInstance } from 'fastify';

import { inLineage, setRequestLineage } from '#platform/invocation-lineage.ts';

import { createForge, forgeServerOptions } from '../forge.ts';
import { noObject, parseRefName } from '../git/names.ts';
import { resumeLater } from '../ref-updates/reconcile.ts';
import { recordIntent } from '../ref-updates/change-refs.ts';
import { commitFiles } from '../testing/commits.ts';
import { gitClientEnvironment } from '../testing/git-client.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { claimDeliveries } from './delivery-claim-store.ts';

const lineage = '0a1b2c3d:3';

describe('a delivery that a function has caused', () => {
  let forge: TestForge;
  let owner: TestUser;
  let server: FastifyInstance;
  let serverUrl: string;
  let folder: string;
  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('own');
    folder = await mkdtemp(join(tmpdir(), 'hob-lineage-'));
    server = Fastify(forgeServerOptions);
    // Stands for the listener inside of a sandbox, which notes that a function has sent the request.
    server.server.prependListener('request', (request) => setRequestLineage(request, lineage));
    await server.register(createForge(forge.ports));
    serverUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  });
  after(async () => {
    server.server.closeAllConnections();
    await server.close();
    await forge.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function git(...args: readonly string[]): Promise<void> {
    await promisify(execFile)('git', args, { cwd: folder, env: gitClientEnvironment(folder) });
  }

  /** The events of the repository's webhook that are due, with the lineage of each. */
  async function due(webhookId: number): Promise<(string | undefined)[][]> {
    const most = { toOne: 100, inAll: 100 };
    const by = {
      serverId: 'a server',
      now: forge.clock.now(),
      most,
      held: new Map<number, number>(),
    };
    const { engine } = forge.database;
    const own = await forge.database.write((sql) => claimDeliveries(sql, engine, [webhookId], by));
    return own.map((delivery) => [delivery.event, delivery.lineage]);
  }

  async function hooked(): Promise<{ name: string; id: number }> {
    const name = await forge.repository(owner);
    const config = { url: 'http://127.0.0.1:1/' };
    const { body } = await owner.post(`/repos/${name}/hooks`, { config, events: ['*'] });
    return { name, id: body.id };
  }

  test('belongs to the chain of the function, and others to none', async () => {
    const { name, id } = await hooked();
    const label = { color: 'ffffff' };
    await owner.post(`/repos/${name}/labels`, { ...label, name: 'outside' });
    const response = await fetch(`${serverUrl}/api/v3/repos/${name}/labels`, {
      method: 'POST',
      headers: { authorization: `token ${owner.token}`, 'user-agent': 'hob-test' },
      body: JSON.stringify({ ...label, name: 'inside' }),
    });
    assert.equal(response.status, 201);
    assert.deepEqual(await due(id), [
      ['ping', undefined],
      ['label', undefined],
      ['label', lineage],
    ]);
  });

  test('belongs to it when the function pushes', async () => {
    const { name, id } = await hooked();
    await git('init', '-q', '-b', 'main', name);
    await git('-C', name, 'commit', '-q', '--allow-empty', '-m', 'one');
    const remote = new URL(`${serverUrl}/${name}.git`);
    remote.username = owner.login;
    remote.password = owner.token;
    await git('-C', name, 'push', '-q', remote.href, 'main');
    assert.deepEqual(await due(id), [
      ['ping', undefined],
      ['push', lineage],
      ['create', lineage],
    ]);
  });

  test('belongs to it when another process completes the push', async () => {
    const { name, id } = await hooked();
    const tip = await commitFiles(forge, name, 'main', { file: 'one' });
    const repositoryId = (await owner.get(`/repos/${name}`)).body.id;
    const ref = parseRefName('refs/heads/topic');
    assert.ok(ref);
    const refs = [{ ref, old: noObject, new: tip }];
    const now = forge.clock.now();
    const push = { repositoryId, refs, merge: undefined, kind: 'push', now } as const;
    const intentId = await inLineage(lineage, () =>
      recordIntent(forge.ports, push, async () => {}),
    );
    await forge.git.repository(repositoryId).updateRefs(refs);
    resumeLater(forge.ports, intentId, repositoryId);
    await forge.ports.background.idle();
    assert.deepEqual((await due(id)).slice(-2), [
      ['push', lineage],
      ['create', lineage],
    ]);
  });
});
