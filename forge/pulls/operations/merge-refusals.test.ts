import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createLog } from '#platform/log.ts';

import { type MergeRefusalReason, mergeRefusals } from '../../errors/merge-refusals.ts';
import { createForgeServer } from '../../forge.ts';
import type { GitRepository } from '../../git/git.ts';
import { GitError } from '../../git/git-error.ts';
import { noObject, parseObjectId, parseRefName } from '../../git/names.ts';
import type { Ports } from '../../ports/ports.ts';
import { commitFiles, repositoryId } from '../../testing/commits.ts';
import { type OpenedPull, openPull } from '../../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../../testing/test-forge.ts';

describe('a merge that is refused', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge({ previews: 'lenient' });
    owner = await forge.user('own');
  });
  after(() => forge.close());

  interface Response {
    readonly status: number;
    readonly message: string;
    /** Of the line of the log. */
    readonly line: Readonly<Record<string, unknown>>;
  }

  async function send(
    ports: Ports,
    method: 'PUT' | 'POST',
    url: string,
    payload = {},
  ): Promise<Response> {
    const lines: string[] = [];
    const log = createLog('info', (line) => lines.push(line));
    const server = await createForgeServer({ ...ports, log }, { log });
    try {
      const headers = { authorization: `token ${owner.token}`, 'user-agent': 'hob-test' };
      const response = await server.inject({ method, url, headers, payload });
      const [line = {}, ...others] = lines
        .map((each) => JSON.parse(each))
        .filter(({ msg }) => msg === 'merge refused');
      assert.equal(others.length, 0);
      const requestId = response.headers['x-github-request-id'];
      assert.equal(line.requestId, lines.length === 0 ? undefined : requestId);
      const { time: _, level: __, msg: ___, requestId: ____, ...fields } = line;
      const { message, errors } = response.json();
      return { status: response.statusCode, message: message ?? errors[0].message, line: fields };
    } finally {
      await server.close();
    }
  }

  interface Case {
    /** The body of the request that opens the pull. */
    readonly pull?: Record<string, unknown>;
    /** Of the merge. */
    readonly body?: Record<string, unknown>;
    /** What happens before it; the result names another pull, or replaces the ports of the merge. */
    readonly prepare: (
      opened: OpenedPull,
    ) => Promise<{ readonly path?: string; readonly ports?: Ports } | void>;
    /** Of a reason whose message is made from the rules of the branch. */
    readonly message?: string;
  }

  const change = { message: 'm', content: 'eA==', branch: 'main' };
  const noRules = {
    enforce_admins: true,
    required_status_checks: null,
    required_pull_request_reviews: null,
    restrictions: null,
  };

  async function settings(name: string, values: Record<string, unknown>): Promise<void> {
    assert.equal((await owner.patch(`/repos/${name}`, values)).status, 200);
  }

  async function protect(name: string, rules: Record<string, unknown>): Promise<void> {
    const path = `/repos/${name}/branches/main/protection`;
    assert.equal((await owner.put(path, { ...noRules, ...rules })).status, 200);
  }

  async function addFile(
    name: string,
    path: string,
    content: string,
    branch = 'main',
  ): Promise<void> {
    const bytes = Buffer.from(content).toString('base64');
    const response = await owner.put(`/repos/${name}/contents/${path}`, {
      ...change,
      content: bytes,
      branch,
    });
    assert.equal(response.status, 201, response.text);
  }

  /** The limits of git need a git that fails: see below. */
  const cases: Record<Exclude<MergeRefusalReason, 'git-limit'>, Case> = {
    'merge-commits-disabled': {
      prepare: ({ name }) => settings(name, { allow_merge_commit: false }),
    },
    'squash-merges-disabled': {
      prepare: ({ name }) => settings(name, { allow_squash_merge: false }),
      body: { merge_method: 'squash' },
    },
    'rebase-merges-disabled': {
      prepare: ({ name }) => settings(name, { allow_rebase_merge: false }),
      body: { merge_method: 'rebase' },
    },
    'already-merged': {
      prepare: async ({ path }) => {
        assert.equal((await owner.put(`${path}/merge`)).status, 200);
      },
    },
    closed: {
      prepare: async ({ path }) => {
        assert.equal((await owner.patch(path, { state: 'closed' })).status, 200);
      },
    },
    draft: { pull: { draft: true }, prepare: async () => {} },
    conflicts: { prepare: ({ name }) => addFile(name, 'new.txt', 'x') },
    'rebase-conflicts': {
      // The base gets the same file by another commit, so a rebase leaves no commit.
      prepare: ({ name }) => addFile(name, 'new.txt', 'new\n'),
      body: { merge_method: 'rebase' },
    },
    'head-missing': {
      prepare: async ({ name, base }) => {
        const guest = await forge.user('guest');
        const fork = (await guest.post(`/repos/${name}/forks`)).body.full_name;
        await commitFiles(forge, fork, 'theirs', { 'their.txt': 'x' }, { parents: [base] });
        const pull = { title: 'Add their file', head: 'guest:theirs', base: 'main' };
        const opened = await guest.post(`/repos/${name}/pulls`, pull);
        assert.equal(opened.status, 201, opened.text);
        assert.equal((await guest.delete(`/repos/${fork}`)).status, 204);
        return { path: `/repos/${name}/pulls/${opened.body.number}` };
      },
    },
    'base-branch-missing': {
      prepare: ({ name, base }) => deleteInGit(name, 'refs/heads/main', base),
    },
    'head-modified': { prepare: async () => {}, body: { sha: '1'.repeat(40) } },
    'base-modified': { prepare: async ({ name }) => ({ ports: movingBefore(name, 'main') }) },
    'head-outdated': {
      prepare: async ({ name }) => {
        await addFile(name, 'other.txt', 'other');
        await protect(name, { required_status_checks: { strict: true, contexts: [] } });
      },
    },
    'branch-protection': {
      prepare: ({ name }) =>
        protect(name, { required_status_checks: { strict: false, contexts: ['ci'] } }),
      message: 'Required status check "ci" is expected.',
    },
    'merge-in-progress': {
      prepare: async ({ name, number }) => {
        const id = await repositoryId(forge, name);
        await forge.database.write((sql) =>
          sql.run(
            `insert into ref_intents (repository_id, kind, merged_pull_id, payload, created_at)
             select $1, 'merge', id, '{}', 0 from issues where repository_id = $1 and number = $2`,
            id,
            number,
          ),
        );
      },
    },
  };

  /** As after a deletion of which no row knows yet. */
  async function deleteInGit(name: string, refName: string, old: string): Promise<void> {
    const git = forge.git.repository(await repositoryId(forge, name));
    const [ref, from] = [parseRefName(refName), parseObjectId(old)];
    assert.ok(ref && from);
    const update = { ref, old: from, new: noObject };
    assert.equal((await git.updateRefs([update])).kind, 'updated');
  }

  /** Ports on which a branch gets a commit before each attempt to move main. */
  function movingBefore(name: string, branch: string): Ports {
    let commits = 0;
    const wrap = (repository: GitRepository): GitRepository => ({
      ...repository,
      async updateRefs(updates) {
        if (updates.some(({ ref }) => ref === 'refs/heads/main')) {
          commits += 1;
          await addFile(name, `meanwhile-${commits}.txt`, 'x', branch);
        }
        return repository.updateRefs(updates);
      },
    });
    const repository = (id: number): GitRepository => wrap(forge.git.repository(id));
    return { ...forge.ports, git: { ...forge.git, repository } };
  }

  for (const [reason, { pull, body, prepare, message }] of Object.entries(cases)) {
    test(`has its reason in the log: ${reason}`, async () => {
      const opened = await openPull(forge, owner, pull ? { body: pull } : {});
      const { path = opened.path, ports = forge.ports } = (await prepare(opened)) ?? {};
      const response = await send(ports, 'PUT', `${path}/merge`, body);
      const row = new Map<string, { status: number; message: string | undefined }>(
        Object.entries(mergeRefusals),
      ).get(reason);
      assert.deepEqual(response, {
        status: row?.status,
        message: row?.message ?? message,
        line: {
          repository: opened.name,
          number: Number(path.split('/').at(-1)),
          login: owner.login,
          method: body?.['merge_method'] ?? 'merge',
          auto: false,
          reason,
          ...(message === undefined ? {} : { rule: message }),
        },
      });
    });
  }

  test('has its reason in the log where GraphQL asks for it', async () => {
    const { name, number, path } = await openPull(forge, owner, { body: { draft: true } });
    const { node_id: pullRequestId } = (await owner.get(path)).body;
    const query = `mutation($input: MergePullRequestInput!) {
      mergePullRequest(input: $input) { pullRequest { id } }
    }`;
    const variables = { input: { pullRequestId, mergeMethod: 'SQUASH' } };
    assert.deepEqual(await send(forge.ports, 'POST', '/graphql', { query, variables }), {
      status: 200,
      message: mergeRefusals.draft.message,
      line: {
        repository: name,
        number,
        login: owner.login,
        method: 'squash',
        auto: false,
        reason: 'draft',
      },
    });
  });

  test('is a changed head where that moves in every attempt', async () => {
    const { name, path } = await openPull(forge, owner);
    const response = await send(movingBefore(name, 'topic'), 'PUT', `${path}/merge`);
    assert.equal(response.status, 409);
    assert.equal(response.line.reason, 'head-modified');
  });

  test('for the limits of git says so, and not that a diff is too large', async () => {
    const { name, path } = await openPull(forge, owner);
    assert.equal((await owner.put(`/repos/${name}/contents/ahead`, change)).status, 201);
    const repository = (id: number): GitRepository => ({
      ...forge.git.repository(id),
      mergeTrees: () => Promise.reject(new GitError('limit', 'git merge-tree took too long.')),
    });
    const ports = { ...forge.ports, git: { ...forge.git, repository } };
    const merged = await send(ports, 'PUT', `${path}/merge`);
    assert.deepEqual([merged.status, merged.line.reason], [405, 'git-limit']);
    assert.match(merged.message, /limits of git/);
    const updated = await send(ports, 'PUT', `${path}/update-branch`);
    assert.deepEqual([updated.status, /git operation/.test(updated.message)], [422, true]);
    const branches = { base: 'main', head: 'topic' };
    const direct = await send(ports, 'POST', `/repos/${name}/merges`, branches);
    assert.deepEqual([direct.status, /git operation/.test(direct.message)], [422, true]);
  });
});
