import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createLog } from '#platform/log.ts';

import { type MergeRefusalReason, mergeRefusals } from '../../errors/merge-refusals.ts';
import { createForgeServer } from '../../forge.ts';
import type { GitRepository } from '../../git/git.ts';
import { GitError } from '../../git/git-error.ts';
import type { Ports } from '../../ports/ports.ts';
import { openPull } from '../../testing/pull-fixture.ts';
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
    readonly reason: unknown;
  }

  async function send(
    ports: Ports,
    method: 'PUT' | 'POST',
    url: string,
    payload = {},
  ): Promise<Response> {
    const lines: string[] = [];
    const server = await createForgeServer(ports, {
      log: createLog('info', (line) => lines.push(line)),
    });
    try {
      const headers = { authorization: `token ${owner.token}`, 'user-agent': 'hob-test' };
      const response = await server.inject({ method, url, headers, payload });
      const line = lines.map((each) => JSON.parse(each)).find((each) => each.reason !== undefined);
      const { message } = response.json();
      return { status: response.statusCode, message, reason: line?.reason };
    } finally {
      await server.close();
    }
  }

  const cases: Partial<Record<MergeRefusalReason, (name: string) => Promise<object | undefined>>> =
    {
      closed: async (name) => {
        await owner.patch(`/repos/${name}/pulls/1`, { state: 'closed' });
        return undefined;
      },
      'already-merged': async (name) => {
        assert.equal((await owner.put(`/repos/${name}/pulls/1/merge`)).status, 200);
        return undefined;
      },
      'squash-merges-disabled': async (name) => {
        await owner.patch(`/repos/${name}`, { allow_squash_merge: false });
        return { merge_method: 'squash' };
      },
      conflicts: async (name) => {
        const change = { message: 'm', content: 'eA==', branch: 'main' };
        assert.equal((await owner.put(`/repos/${name}/contents/new.txt`, change)).status, 201);
        return undefined;
      },
      'head-modified': async () => ({ sha: '1'.repeat(40) }),
    };

  for (const [reason, prepare] of Object.entries(cases)) {
    test(`has its reason in the log: ${reason}`, async () => {
      const { name, path } = await openPull(forge, owner);
      const body = await prepare(name);
      const response = await send(forge.ports, 'PUT', `${path}/merge`, body);
      const row = new Map<string, { status: number; message: string | undefined }>(
        Object.entries(mergeRefusals),
      ).get(reason);
      assert.deepEqual(response, { status: row?.status, message: row?.message, reason });
    });
  }

  test('for the limits of git says so, and not that a diff is too large', async () => {
    const { name, path } = await openPull(forge, owner);
    const change = { message: 'm', content: '', branch: 'main' };
    assert.equal((await owner.put(`/repos/${name}/contents/ahead`, change)).status, 201);
    const repository = (id: number): GitRepository => ({
      ...forge.git.repository(id),
      mergeTrees: () => Promise.reject(new GitError('limit', 'git merge-tree took too long.')),
    });
    const ports = { ...forge.ports, git: { ...forge.git, repository } };
    const merged = await send(ports, 'PUT', `${path}/merge`);
    assert.deepEqual([merged.status, merged.reason], [405, 'git-limit']);
    assert.match(merged.message, /limits of git/);
    const updated = await send(ports, 'PUT', `${path}/update-branch`);
    assert.deepEqual([updated.status, /git operation/.test(updated.message)], [422, true]);
    const branches = { base: 'main', head: 'topic' };
    const direct = await send(ports, 'POST', `/repos/${name}/merges`, branches);
    assert.deepEqual([direct.status, /git operation/.test(direct.message)], [422, true]);
  });
});
