import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { git, remoteUrl } from './git-client.ts';
import { type RunningServer, startServer } from './running-server.ts';

describe('a server that is killed', () => {
  /** More cycles find rarer crashes: `HOB_KILL_CYCLES=300 npm test -- scenarios/kill`. */
  const cycles = Number(process.env['HOB_KILL_CYCLES'] ?? 5);

  let folder: string;
  let server: RunningServer;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-kill-'));
    server = await startServer(join(folder, 'data'), {
      environment: { HOB_RATE_LIMIT_USER: '1000000' },
    });
  });
  after(async () => {
    assert.equal(await server.stop(), 0, server.output());
    await rm(folder, { recursive: true, force: true });
  });

  /** What was acknowledged: each must be there after the server was killed. */
  interface Acknowledged {
    readonly statuses: { id: number; context: string }[];
    readonly repositories: string[];
    readonly pushes: { branch: string; sha: string }[];
    readonly merges: { number: number; sha: string }[];
  }

  async function api(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: any }> {
    const response = await fetch(`${server.url}/api/v3${path}`, {
      method,
      headers: { authorization: `token ${server.token}`, 'user-agent': 'kill-scenario' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** Repeats a piece of work until the server is gone. */
  async function untilKilled(work: (round: number) => Promise<void>): Promise<void> {
    for (let round = 1; ; round += 1) {
      try {
        await work(round);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return;
      }
    }
  }

  function workload(
    cycle: number,
    sha: string,
    clones: string[],
    acknowledged: Acknowledged,
  ): Promise<void>[] {
    const repository = `${server.login}/work`;
    const statuses = untilKilled(async (round) => {
      const context = `c${cycle}-${round}`;
      const { status, body } = await api('POST', `/repos/${repository}/statuses/${sha}`, {
        state: 'success',
        context,
      });
      assert.equal(status, 201, JSON.stringify(body));
      acknowledged.statuses.push({ id: body.id, context });
    });
    const creations = untilKilled(async (round) => {
      const name = `made-${cycle}-${round}`;
      const { status } = await api('POST', '/user/repos', { name, auto_init: true });
      assert.equal(status, 201);
      acknowledged.repositories.push(name);
    });
    const pushes = clones.map((clone, index) =>
      untilKilled(async (round) => {
        const branch = `b${cycle}-${index}-${round}`;
        await git(clone, 'checkout', '-q', '-B', branch, 'origin/main');
        await writeFile(join(clone, `${branch}.txt`), 'x\n');
        await git(clone, 'add', '-A');
        await git(clone, 'commit', '-qm', branch);
        const head = await git(clone, 'rev-parse', 'HEAD');
        await git(clone, 'push', '-q', 'origin', branch);
        acknowledged.pushes.push({ branch, sha: head });
        const pull = await api('POST', `/repos/${repository}/pulls`, {
          title: branch,
          head: branch,
          base: 'main',
        });
        assert.equal(pull.status, 201, JSON.stringify(pull.body));
        const method = ['merge', 'squash', 'rebase'][round % 3];
        const { number } = pull.body;
        const merge = await api('PUT', `/repos/${repository}/pulls/${number}/merge`, {
          merge_method: method,
        });
        assert.ok([200, 405].includes(merge.status), JSON.stringify(merge.body));
        if (merge.status === 200) acknowledged.merges.push({ number, sha: merge.body.sha });
      }),
    );
    return [statuses, creations, ...pushes];
  }

  async function verify(sha: string, acknowledged: Acknowledged): Promise<void> {
    const repository = `${server.login}/work`;
    const bare = join(folder, 'verify.git');
    await rm(bare, { recursive: true, force: true });
    await git(
      folder,
      'clone',
      '-q',
      '--mirror',
      remoteUrl(server.url, server.login, server.token, repository),
      bare,
    );
    await git(bare, 'fsck', '--strict', '--no-dangling');
    for (const { branch, sha: head } of acknowledged.pushes) {
      assert.equal(
        await git(bare, 'rev-parse', `refs/heads/${branch}`),
        head,
        `push of ${branch} was lost`,
      );
    }
    const reachable = new Set((await git(bare, 'rev-list', 'main')).split('\n'));
    const merged = new Map<number, string>();
    for (let page = 1; ; page += 1) {
      const { body } = await api(
        'GET',
        `/repos/${repository}/pulls?state=all&per_page=100&page=${page}`,
      );
      for (const pull of body) {
        if (pull.merged_at === null) continue;
        assert.equal(pull.state, 'closed');
        assert.ok(
          reachable.has(pull.merge_commit_sha),
          `pull ${pull.number} is merged but not in git`,
        );
        merged.set(pull.number, pull.merge_commit_sha);
      }
      for (const pull of body) {
        if (pull.state === 'open')
          assert.ok(!reachable.has(pull.head.sha), `pull ${pull.number} is in git but open`);
      }
      if (body.length < 100) break;
    }
    for (const { number, sha: commit } of acknowledged.merges) {
      assert.equal(merged.get(number), commit, `the merge of ${number} was lost`);
    }
    const listed = new Set<string>();
    for (let page = 1; ; page += 1) {
      const { body } = await api(
        'GET',
        `/repos/${repository}/commits/${sha}/statuses?per_page=100&page=${page}`,
      );
      for (const status of body) {
        const key = `${status.id} ${status.context}`;
        assert.ok(!listed.has(key), `status ${key} is there twice`);
        listed.add(key);
      }
      if (body.length < 100) break;
    }
    for (const { id, context } of acknowledged.statuses) {
      assert.ok(listed.has(`${id} ${context}`), `status ${context} was lost`);
    }
    // Those of earlier cycles were looked at then; asking each again would take most of the time.
    for (const name of acknowledged.repositories.slice(-10)) {
      const { body, status } = await api('GET', `/repos/${server.login}/${name}`);
      assert.equal(status, 200, `repository ${name} was lost`);
      const refs = await git(
        folder,
        'ls-remote',
        remoteUrl(server.url, server.login, server.token, body.full_name),
      );
      assert.match(refs, /refs\/heads\/main/);
    }
  }

  test(`${cycles} kills lose nothing that was acknowledged and leave no half merge`, async (context) => {
    const acknowledged: Acknowledged = { statuses: [], repositories: [], pushes: [], merges: [] };
    assert.equal((await api('POST', '/user/repos', { name: 'work', auto_init: true })).status, 201);
    const remote = () => remoteUrl(server.url, server.login, server.token, `${server.login}/work`);
    const clones = [join(folder, 'clone-0'), join(folder, 'clone-1')];
    for (const clone of clones) await git(folder, 'clone', '-q', remote(), clone);
    const sha = await git(join(folder, 'clone-0'), 'rev-parse', 'HEAD');
    for (let cycle = 1; cycle <= cycles; cycle += 1) {
      for (const clone of clones) {
        await git(clone, 'remote', 'set-url', 'origin', remote());
        await git(clone, 'fetch', '-q', 'origin');
      }
      const work = workload(cycle, sha, clones, acknowledged);
      const enough = acknowledged.statuses.length + 20 + Math.floor(Math.random() * 200);
      while (acknowledged.statuses.length < enough)
        await new Promise((resolve) => setImmediate(resolve));
      await server.kill();
      await Promise.all(work);
      const started = performance.now();
      server = await startServer(join(folder, 'data'), {
        environment: { HOB_RATE_LIMIT_USER: '1000000' },
      });
      context.diagnostic(
        `cycle ${cycle}: ready again after ${Math.round(performance.now() - started)} ms`,
      );
      try {
        await verify(sha, acknowledged);
      } catch (error) {
        context.diagnostic(server.output());
        throw error;
      }
    }
    const { statuses, repositories, pushes, merges } = acknowledged;
    context.diagnostic(
      `${statuses.length} statuses, ${repositories.length} repositories, ${pushes.length} pushes and ` +
        `${merges.length} merges were acknowledged; none was lost`,
    );
  });
});
