import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import type { FastifyInstance } from 'fastify';

import { createBackgroundWork } from '#platform/background.ts';
import type { Database } from '#platform/database/database.ts';

import { createForgeServer } from '../forge.ts';
import type { GitRepository } from '../git/git.ts';
import type { ReceivePack } from '../git/received-push.ts';
import { noObject, parseObjectId, parseRefName } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { openIntents } from '../ref-updates/intent-store.ts';
import { gitClientEnvironment } from '../testing/git-client.ts';
import { committingLate } from '../testing/late-commit.ts';
import { reconcile } from '../testing/reconcile.ts';
import { repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('a push that a crash interrupts', () => {
  const run = promisify(execFile);
  let forge: TestForge;
  let owner: TestUser;
  let folder: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    folder = await mkdtemp(join(tmpdir(), 'hob-interrupted-'));
  });
  after(async () => {
    await forge.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function git(where: string, ...words: string[]): Promise<string> {
    const { stdout } = await run('git', words, {
      cwd: where,
      env: gitClientEnvironment(folder),
    });
    return stdout.trim();
  }

  /** The process ends here: nothing after this runs. */
  class Crash extends Error {}

  type Point = 'before git' | 'half-way' | 'before the rows' | 'before the answer';

  /** A server whose process dies at a point of every push. */
  async function serverDyingAt(point: Point): Promise<FastifyInstance> {
    const receive =
      (repository: GitRepository): GitRepository['receivePack'] =>
      (...parameters) => {
        if (point === 'before git') return dead();
        const real = repository.receivePack(...parameters);
        return point === 'half-way' ? { ...real, completed: real.completed.then(crash) } : real;
      };
    let writes = 0;
    const database: Database = {
      ...forge.database,
      async write(work, options) {
        writes += 1;
        // The first write is the intent.
        if (writes === 2 && point === 'before the rows') throw new Crash();
        const result = await forge.database.write(work, options);
        if (writes === 2 && point === 'before the answer') throw new Crash();
        return result;
      },
    };
    const repository = (id: number): GitRepository => {
      const real = forge.git.repository(id);
      return { ...real, receivePack: receive(real) };
    };
    const ports: Ports = {
      ...forge.ports,
      database,
      git: { ...forge.git, repository },
      // What a dead process would have done later it does not do.
      background: { run() {}, idle: async () => {}, close: async () => {} },
    };
    const server = await createForgeServer(ports);
    return server;
  }

  function dead(): ReceivePack {
    const output = new PassThrough();
    output.end();
    const failed = Promise.reject(new Crash());
    failed.catch(() => {});
    return { output, completed: failed, acknowledge() {} };
  }

  function crash(): never {
    throw new Crash();
  }

  function remote(host: string, name: string): string {
    return `http://${owner.login}:${owner.token}@${host}/${name}.git`;
  }

  async function interruptedPush(
    point: Point,
    name: string,
    where: string,
    ...refs: string[]
  ): Promise<void> {
    const server = await serverDyingAt(point);
    try {
      const { host } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
      await assert.rejects(git(where, 'push', '-q', remote(host, name), ...refs));
    } finally {
      await server.close();
    }
  }

  /** `event ref before after` of every pending webhook delivery. */
  async function owed(name: string): Promise<string[]> {
    const id = await repositoryId(forge, name);
    const rows = await forge.database.read((sql) =>
      sql.all<{ event: string; facts: string }>(
        `select d.event, d.facts from webhook_deliveries d join webhooks w on w.id = d.webhook_id
         where w.repository_id = $1 and d.event <> 'ping' order by d.id`,
        id,
      ),
    );
    return rows.map(({ event, facts }) => {
      const { ref, before: from, after: to } = JSON.parse(facts);
      return [event, ref, from, to].filter(Boolean).join(' ');
    });
  }

  interface Prepared {
    readonly name: string;
    readonly where: string;
    readonly refs: readonly string[];
    /** What must be reported of each ref. */
    readonly sent: ReadonlyMap<string, readonly string[]>;
  }

  /** A repository with a pull and a webhook, and a push of everything that a push can do. */
  async function prepare(): Promise<Prepared> {
    const name = await forge.repository(owner, { init: true });
    const url = remote(await listening(), name);
    const where = await mkdtemp(join(folder, 'clone-'));
    await git(folder, 'clone', '-q', url, where);
    const commit = async (message: string): Promise<string> => {
      await git(where, 'commit', '-q', '--allow-empty', '-m', message);
      return git(where, 'rev-parse', 'HEAD');
    };
    const first = await commit('one');
    await git(
      where,
      'push',
      '-q',
      url,
      ...['topic', 'plain', 'gone'].map((branch) => `HEAD:refs/heads/${branch}`),
    );
    const pull = { title: 'T', head: 'topic', base: 'main' };
    assert.equal((await owner.post(`/repos/${name}/pulls`, pull)).status, 201);
    const next = await commit('two');
    await git(where, 'tag', '-a', '-m', 'tag', 'v1');
    const tag = await git(where, 'rev-parse', 'v1');
    const config = { url: 'https://example.test/', content_type: 'json' };
    const hook = await owner.post(`/repos/${name}/hooks`, { name: 'web', events: ['*'], config });
    assert.equal(hook.status, 201, hook.text);
    const moved = (ref: string, from: string, to: string): [string, string[]] => [
      ref,
      [
        `push ${ref} ${from} ${to}`,
        ...(from === noObject ? [`create ${ref} ${from} ${to}`] : []),
        ...(to === noObject ? [`delete ${ref} ${from} ${to}`] : []),
        ...(ref === 'refs/heads/topic' ? [`pull_request ${from} ${to}`] : []),
      ],
    ];
    return {
      name,
      where,
      refs: ['HEAD:topic', 'HEAD:plain', 'HEAD:refs/heads/made', ':gone', 'v1'],
      sent: new Map([
        moved('refs/heads/topic', first, next),
        moved('refs/heads/plain', first, next),
        moved('refs/heads/made', noObject, next),
        moved('refs/heads/gone', first, noObject),
        moved('refs/tags/v1', noObject, tag),
      ]),
    };
  }

  let address: Promise<string> | undefined;
  function listening(): Promise<string> {
    address ??= forge.listen();
    return address;
  }

  /** What the next start does. */
  async function restart(): Promise<void> {
    forge.clock.advance(60_000);
    await reconcile(forge.ports);
    await forge.ports.background.idle();
    assert.deepEqual(await forge.database.read(openIntents), []);
  }

  async function pushedAt(name: string): Promise<number> {
    return Date.parse((await owner.get(`/repos/${name}`)).body.pushed_at);
  }

  for (const point of ['half-way', 'before the rows', 'before the answer'] as const) {
    test(`${point} has all its effects once after the next start`, async () => {
      const { name, where, refs, sent } = await prepare();
      await interruptedPush(point, name, where, ...refs);
      await restart();
      assert.deepEqual((await owed(name)).toSorted(), [...sent.values()].flat().toSorted());
      const pull = (await owner.get(`/repos/${name}/pulls/1`)).body;
      assert.equal(pull.head.sha, await git(where, 'rev-parse', 'HEAD'));
      const { body: events } = await owner.get(`/repos/${name}/events?per_page=100`);
      const types = events.map((event: { type: string }) => event.type);
      const deleted = types.filter((type: string) => type === 'DeleteEvent');
      assert.equal(deleted.length, 1);
      const late = point === 'before the answer' ? 60_000 : 0;
      assert.equal(await pushedAt(name), forge.clock.now() - late);
      await reconcile(forge.ports);
      assert.equal((await owed(name)).length, [...sent.values()].flat().length);
    });
  }

  test('before git sees it has no effect', async () => {
    const { name, where, refs } = await prepare();
    const earlier = await pushedAt(name);
    await interruptedPush('before git', name, where, ...refs);
    await restart();
    assert.deepEqual(await owed(name), []);
    assert.equal(await pushedAt(name), earlier);
  });

  test('whose record the database commits late is refused, leaves nothing, and can be made again', async () => {
    const { name, where, refs } = await prepare();
    const { database, isCommitted } = committingLate(forge.database);
    const background = createBackgroundWork({
      onError: (error) => assert.fail(String(error)),
      retryMilliseconds: 1,
    });
    const server = await createForgeServer({ ...forge.ports, database, background });
    try {
      const { host } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
      const pushed = git(where, 'push', '-q', remote(host, name), ...refs);
      await assert.rejects(pushed, /The database is unavailable/);
      const deadline = Date.now() + 60_000;
      while (!isCommitted() || (await forge.database.read(openIntents)).length > 0) {
        assert.ok(Date.now() < deadline, 'the intent is left open');
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await background.close();
    } finally {
      await server.close();
    }
    assert.deepEqual(await owed(name), []);
    await git(where, 'push', '-q', remote(await listening(), name), ...refs);
  });

  for (const unmoved of [
    'refs/heads/made',
    'refs/heads/gone',
    'refs/heads/topic',
    'refs/tags/v1',
  ]) {
    test(`after some of its refs moved has the effects of those, and none of ${unmoved}`, async () => {
      const { name, where, refs, sent } = await prepare();
      await interruptedPush('half-way', name, where, ...refs);
      const [, from, to] = /^push \S+ (\S+) (\S+)$/.exec(sent.get(unmoved)?.[0] ?? '') ?? [];
      const [ref, old, next] = [
        parseRefName(unmoved),
        parseObjectId(to ?? ''),
        parseObjectId(from ?? ''),
      ];
      assert.ok(ref && old && next);
      const repository = forge.git.repository(await repositoryId(forge, name));
      const undone = await repository.updateRefs([{ ref, old, new: next }]);
      assert.equal(undone.kind, 'updated');
      await restart();
      const rest = [...sent].filter(([other]) => other !== unmoved).flatMap(([, lines]) => lines);
      assert.deepEqual((await owed(name)).toSorted(), rest.toSorted());
    });
  }

  test('into an empty repository makes its branch the default one all the same', async () => {
    const name = await forge.repository(owner);
    const where = await mkdtemp(join(folder, 'new-'));
    await git(where, 'init', '-q', '-b', 'trunk');
    await git(where, 'commit', '-q', '--allow-empty', '-m', 'one');
    await interruptedPush('half-way', name, where, 'trunk');
    await restart();
    assert.equal((await owner.get(`/repos/${name}`)).body.default_branch, 'trunk');
  });
});
