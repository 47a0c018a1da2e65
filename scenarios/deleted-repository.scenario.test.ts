import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';

import {
  startTestForge,
  type TestResponse,
  type TestForge,
  type TestUser,
} from '#forge/testing/test-forge.ts';

/** More calls of git and writes than any request makes. */
const callsMax = 200;

/**
 * Requests about a pull from a fork. The fork or its upstream is deleted before the first call of git or write to the database
 * that a request makes; then another one before the second, and so on. No request may fail with a 5xx status for that.
 */
describe('a repository is deleted before each step of a request', () => {
  let forge: TestForge;
  let owner: TestUser;
  let contributor: TestUser;
  let third: TestUser;

  before(async () => {
    forge = await startTestForge({ previews: 'lenient' });
    owner = await forge.user('own');
    contributor = await forge.user('contributor');
    third = await forge.user('third');
  });
  after(() => forge.close());

  interface Network {
    readonly upstream: string;
    readonly fork: string;
  }

  /** A fork whose branch `topic` is ahead of `main`. */
  async function forkOf(upstream: string): Promise<Network> {
    const forked = await contributor.post(`/repos/${upstream}/forks`);
    assert.equal(forked.status, 202, forked.text);
    const fork = forked.body.full_name;
    const main = (await contributor.get(`/repos/${fork}/git/ref/heads/main`)).body.object.sha;
    await contributor.post(`/repos/${fork}/git/refs`, { ref: 'refs/heads/topic', sha: main });
    const change = { message: 'm', content: '', branch: 'topic' };
    assert.equal(
      (await contributor.put(`/repos/${fork}/contents/${crypto.randomUUID()}`, change)).status,
      201,
    );
    return { upstream, fork };
  }

  const newPull = { title: 'T', head: 'contributor:topic', base: 'main' };

  async function openedPull(upstream: string): Promise<string> {
    const opened = await contributor.post(`/repos/${upstream}/pulls`, newPull);
    assert.equal(opened.status, 201, opened.text);
    await forge.ports.background.idle();
    return `/repos/${upstream}/pulls/${opened.body.number}`;
  }

  /** Deletes the repository before call number `at`, counted from 1; gives the deletion, if there was such a call. */
  function deleteBefore(t: TestContext, at: number, user: TestUser, name: string) {
    let calls = 0;
    let deletion: Promise<TestResponse> | undefined;
    const step = async (): Promise<void> => {
      if (deletion) return;
      calls += 1;
      if (calls !== at) return;
      deletion = user.delete(`/repos/${name}`);
      await deletion;
    };
    const { git, database } = forge;
    const repository = git.repository.bind(git);
    t.mock.method(
      git,
      'repository',
      (id: number) =>
        new Proxy(repository(id), {
          get(target, member) {
            const value: unknown = Reflect.get(target, member);
            if (typeof value !== 'function') return value;
            return async (...rest: unknown[]) => {
              await step();
              return Reflect.apply(value, target, rest);
            };
          },
        }),
    );
    const write: (...rest: any[]) => Promise<unknown> = database.write.bind(database);
    t.mock.method(database, 'write', async (...rest: any[]) => {
      await step();
      return write(...rest);
    });
    return async (): Promise<boolean> => {
      const answer = await deletion;
      t.mock.restoreAll();
      if (answer) assert.equal(answer.status, 204, answer.text);
      return answer !== undefined;
    };
  }

  interface Request {
    readonly method: string;
    readonly path: string;
    readonly body?: unknown;
    readonly user: TestUser;
  }

  /** The answers of the request, one for each call before which the repository was deleted. */
  async function sweep(
    t: TestContext,
    deleted: keyof Network,
    prepare: (network: Network) => Promise<Request>,
  ): Promise<Set<string>> {
    const answers = new Set<string>();
    let upstream = await forge.repository(owner, { init: true });
    for (let at = 1; ; at += 1) {
      assert.ok(at <= callsMax, 'the request makes more calls than are expected');
      const network = await forkOf(upstream);
      const { method, path, body, user } = await prepare(network);
      await forge.ports.background.idle();
      const deleter = deleted === 'fork' ? contributor : owner;
      const wasDeleted = deleteBefore(t, at, deleter, network[deleted]);
      // The harness fails for a status of 500 or more.
      const answer = await user.send(method, path, { body });
      await forge.ports.background.idle();
      if (!(await wasDeleted())) {
        assert.ok(answer.status < 300, answer.text);
        return answers;
      }
      answers.add(`${answer.status} ${messageOf(answer)}`);
      if (deleted === 'fork') {
        const open = await owner.get(`/repos/${upstream}/pulls?state=open`);
        assert.deepEqual(open.body, [], 'a pull from a deleted repository is open');
      } else {
        await contributor.delete(`/repos/${network.fork}`);
        upstream = await forge.repository(owner, { init: true });
      }
    }
  }

  function messageOf({ body }: TestResponse): string {
    const [error] = body?.errors ?? [];
    return error ? (error.message ?? `${error.field} ${error.code}`) : (body?.message ?? '');
  }

  async function commitToMain(upstream: string): Promise<void> {
    const later = { message: 'm', content: '', branch: 'main' };
    const path = `/repos/${upstream}/contents/${crypto.randomUUID()}`;
    assert.equal((await owner.put(path, later)).status, 201);
  }

  const requests: Record<
    string,
    {
      readonly prepare: (network: Network) => Promise<Request>;
      /** Answers that say that the repository is gone; others say that the request came first. */
      readonly refusals: { readonly [deleted in keyof Network]?: readonly string[] };
    }
  > = {
    'a merge': {
      prepare: async ({ upstream }) => {
        const path = await openedPull(upstream);
        return { method: 'PUT', path: `${path}/merge`, user: owner };
      },
      refusals: { fork: ['405 Pull Request is not mergeable'] },
    },
    'an update of the branch': {
      prepare: async ({ upstream }) => {
        const path = await openedPull(upstream);
        await commitToMain(upstream);
        return { method: 'PUT', path: `${path}/update-branch`, user: contributor };
      },
      refusals: { fork: ['422 Pull request is closed.', '422 head ref does not exist'] },
    },
    'a new pull': {
      prepare: async ({ upstream }) => ({
        method: 'POST',
        path: `/repos/${upstream}/pulls`,
        body: newPull,
        user: contributor,
      }),
      refusals: { fork: ['422 head invalid'], upstream: ['404 Not Found'] },
    },
    'a reopened pull': {
      prepare: async ({ upstream }) => {
        const path = await openedPull(upstream);
        await owner.patch(path, { state: 'closed' });
        return { method: 'PATCH', path, body: { state: 'open' }, user: contributor };
      },
      refusals: {
        fork: [
          '422 state cannot be changed. The repository that submitted this pull request has been deleted.',
        ],
      },
    },
    'a comparison': {
      prepare: async ({ upstream }) => ({
        method: 'GET',
        path: `/repos/${upstream}/compare/main...contributor:topic`,
        user: contributor,
      }),
      refusals: { fork: ['404 Not Found'] },
    },
    'a commit to the head': {
      prepare: async ({ upstream, fork }) => {
        await openedPull(upstream);
        const body = { message: 'm', content: '', branch: 'topic' };
        return { method: 'PUT', path: `/repos/${fork}/contents/y`, body, user: contributor };
      },
      refusals: { upstream: [] },
    },
    'a fork': {
      prepare: async ({ upstream }) => ({
        method: 'POST',
        path: `/repos/${upstream}/forks`,
        user: third,
      }),
      refusals: { upstream: ['404 Not Found'] },
    },
  };

  for (const [name, { prepare, refusals }] of Object.entries(requests)) {
    for (const deleted of ['fork', 'upstream'] as const) {
      const expected = refusals[deleted];
      if (expected === undefined) continue;
      test(`${name}: the ${deleted}`, async (t) => {
        const answers = await sweep(t, deleted, prepare);
        const refused = [...answers].filter((answer) => !answer.startsWith('2'));
        assert.deepEqual(refused.toSorted(), expected.toSorted());
      });
    }
  }
});
