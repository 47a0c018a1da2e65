import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { checkConclusions, suiteState } from '../model/check-run.ts';
import { openPull, untilChecked } from '../testing/pull-fixture.ts';
import { commitFiles } from '../testing/commits.ts';
import { createTestApp } from '../testing/test-app.ts';
import {
  startTestForge,
  type TestClient,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

describe('check runs', () => {
  let forge: TestForge;
  let owner: TestUser;
  let robot: TestClient;
  let other: TestClient;
  let name: string;
  let sha: string;
  let serial = 0;
  const at = (path: string): string => `/repos/${name}${path}`;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    name = await forge.repository(owner, { init: true });
    const permissions = { checks: 'write', contents: 'write', pull_requests: 'write' };
    const app = await createTestApp(forge, owner.account.id, { permissions });
    robot = await app.token(await app.install('own'));
    const second = await createTestApp(forge, owner.account.id, { name: 'Other', permissions });
    other = await second.token(await second.install('own'));
  });
  after(() => forge.close());

  /** A commit that nothing has been said of. */
  async function freshCommit(): Promise<string> {
    serial += 1;
    sha = await commitFiles(forge, name, `topic-${serial}`, { 'a.txt': `${serial}\n` });
    return sha;
  }

  const create = (body: Record<string, unknown>, client = robot): Promise<TestResponse> =>
    client.post(at('/check-runs'), { name: 'lint', head_sha: sha, ...body });

  async function created(body: Record<string, unknown> = {}, client = robot) {
    const response = await create(body, client);
    assert.equal(response.status, 201, response.text);
    return response.body;
  }

  test('are created by Apps only, and changed by the App that created them', async () => {
    await freshCommit();
    const refused = await create({}, owner);
    assert.equal(refused.status, 403);
    assert.equal(refused.body.message, 'You must authenticate via a GitHub App.');
    assert.equal((await create({}, forge.anonymous)).status, 404);
    const { id } = await created();
    const foreign = await other.patch(at(`/check-runs/${id}`), { conclusion: 'success' });
    assert.equal(foreign.status, 403);
    assert.match(foreign.body.message, /only be modified by the GitHub App that created it/);
    assert.equal((await owner.patch(at(`/check-runs/${id}`), {})).status, 403);
    assert.equal((await robot.patch(at('/check-runs/999999'), {})).status, 404);
  });

  test('are refused with what is wrong with them', async () => {
    await freshCommit();
    const annotation = {
      path: 'a.txt',
      start_line: 1,
      end_line: 1,
      annotation_level: 'warning',
      message: 'm',
    };
    const fifty = Array.from({ length: 51 }, () => annotation);
    for (const body of [
      { name: undefined },
      { name: ' ' },
      { name: 'x'.repeat(256) },
      { head_sha: '0'.repeat(40) },
      { head_sha: 'main' },
      { status: 'completed' },
      { status: 'waiting for Godot' },
      { conclusion: 'stale' },
      { started_at: 'yesterday' },
      { completed_at: '2026-13-01T00:00:00Z' },
      { details_url: 'javascript:alert(1)' },
      { output: { summary: 'x'.repeat(65_536) } },
      { output: { title: 't', summary: 's', annotations: fifty } },
      { output: { title: 't', summary: 's', annotations: [{ ...annotation, path: undefined }] } },
      {
        actions: Array.from({ length: 4 }, () => ({
          label: 'a',
          description: 'b',
          identifier: 'c',
        })),
      },
      { actions: [{ label: 'x'.repeat(21), description: 'b', identifier: 'c' }] },
    ]) {
      const response = await create(body);
      assert.equal(response.status, 422, `${JSON.stringify(body).slice(0, 100)} ${response.text}`);
    }
    const list = await owner.get(at(`/commits/${sha}/check-runs`));
    assert.deepEqual(list.body, { total_count: 0, check_runs: [] });
  });

  test('are queued, in progress and completed with a conclusion', async () => {
    await freshCommit();
    const queued = await created({ external_id: '42', details_url: 'https://ci.test/42' });
    assert.deepEqual(
      [queued.status, queued.conclusion, queued.completed_at],
      ['queued', null, null],
    );
    assert.equal(queued.app.slug, 'robot');
    assert.equal(queued.details_url, 'https://ci.test/42');
    const path = at(`/check-runs/${queued.id}`);
    const going = await robot.patch(path, { status: 'in_progress' });
    assert.equal(going.body.status, 'in_progress');
    forge.clock.advance(61_000);
    const done = await robot.patch(path, { conclusion: 'failure' });
    assert.deepEqual([done.body.status, done.body.conclusion], ['completed', 'failure']);
    assert.notEqual(done.body.completed_at, null);
    assert.deepEqual((await owner.get(path)).body, done.body);
    const again = await robot.patch(path, { status: 'in_progress' });
    const { status, conclusion, completed_at: completedAt, external_id: externalId } = again.body;
    assert.deepEqual([status, conclusion, completedAt], ['in_progress', null, null]);
    assert.equal(externalId, '42', 'what is not named stays');
  });

  test('keep their output, and collect annotations', async () => {
    await freshCommit();
    const annotation = (line: number): Record<string, unknown> => ({
      path: 'a.txt',
      start_line: line,
      end_line: line,
      annotation_level: 'notice',
      message: `line ${line}`,
    });
    const { id, output } = await created({
      output: { title: 'T', summary: 'S', text: 'X', annotations: [annotation(1)] },
    });
    assert.deepEqual([output.title, output.summary, output.text], ['T', 'S', 'X']);
    const path = at(`/check-runs/${id}`);
    const changed = await robot.patch(path, {
      output: { title: 'U', summary: 'S', annotations: [annotation(2), annotation(3)] },
    });
    assert.equal(changed.body.output.annotations_count, 3);
    assert.deepEqual([changed.body.output.title, changed.body.output.text], ['U', 'X']);
    const { body } = await owner.get(`${path}/annotations?per_page=2&page=1`);
    assert.deepEqual(
      body.map((each: { message: string }) => each.message),
      ['line 1', 'line 2'],
    );
  });

  test('are listed by commit and suite: the latest of each name and App, or all', async () => {
    await freshCommit();
    const first = await created({ conclusion: 'failure' });
    const second = await created({ conclusion: 'success' });
    const third = await created({ name: 'test' });
    const foreign = await created({}, other);
    const listed = async (path: string): Promise<number[]> => {
      const { body, text } = await owner.get(at(path));
      assert.equal(body.total_count, body.check_runs.length, text);
      return body.check_runs.map((run: { id: number }) => run.id);
    };
    const runs = `/commits/${sha}/check-runs`;
    assert.deepEqual(await listed(runs), [foreign.id, third.id, second.id]);
    assert.deepEqual(await listed(`${runs}?filter=all&check_name=lint`), [
      foreign.id,
      second.id,
      first.id,
    ]);
    assert.deepEqual(await listed(`${runs}?status=completed`), [second.id]);
    assert.deepEqual(await listed(`${runs}?app_id=${foreign.app.id}`), [foreign.id]);
    const suites = (await owner.get(at(`/commits/${sha}/check-suites`))).body;
    assert.equal(suites.total_count, 2);
    const [own] = suites.check_suites;
    assert.equal(own.id, first.check_suite.id);
    assert.deepEqual([own.status, own.conclusion], ['in_progress', null]);
    assert.equal(own.latest_check_runs_count, 2);
    assert.deepEqual(await listed(`/check-suites/${own.id}/check-runs`), [third.id, second.id]);
    await robot.patch(at(`/check-runs/${third.id}`), { conclusion: 'neutral' });
    const suite = (await owner.get(at(`/check-suites/${own.id}`))).body;
    assert.deepEqual([suite.status, suite.conclusion], ['completed', 'success']);
    assert.equal((await owner.get(at('/check-suites/999999'))).status, 404);
    assert.equal((await owner.get(at('/check-suites/999999/check-runs'))).status, 404);
  });

  test('count for the mergeability of pulls, and for required checks by their name', async () => {
    const fixture = await openPull(forge, owner);
    name = fixture.name;
    sha = fixture.head;
    const pull = async (): Promise<string> =>
      (await untilChecked(forge, owner, fixture.path)).body.mergeable_state;
    await created({});
    assert.equal(await pull(), 'unstable');
    await created({ conclusion: 'failure' });
    assert.equal(await pull(), 'unstable');
    await created({ conclusion: 'skipped' });
    assert.equal(await pull(), 'clean');
    await owner.put(at('/branches/main/protection'), {
      required_status_checks: { strict: false, contexts: ['Lint', 'test'] },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    assert.equal(await pull(), 'blocked');
    const merge = (): Promise<TestResponse> => owner.put(at(`/pulls/${fixture.number}/merge`));
    assert.equal((await merge()).status, 405);
    await created({ name: 'test', conclusion: 'timed_out' });
    assert.equal((await merge()).status, 405);
    await created({ name: 'test', conclusion: 'success' });
    assert.equal(await pull(), 'clean');
    await owner.post(at(`/statuses/${sha}`), { context: 'test', state: 'failure' });
    assert.equal((await merge()).status, 405, 'a status of the same name has failed');
    await owner.post(at(`/statuses/${sha}`), { context: 'test', state: 'success' });
    assert.equal((await merge()).status, 200);
  });

  test('a suite has the worst conclusion of its runs', () => {
    const done = (conclusion: (typeof checkConclusions)[number]) =>
      ({ status: 'completed', conclusion }) as const;
    assert.deepEqual(suiteState([]), { status: 'queued', conclusion: null });
    for (const conclusion of checkConclusions) {
      assert.deepEqual(suiteState([done(conclusion)]), done(conclusion));
      const either = suiteState([done('skipped'), done(conclusion), done('neutral')]);
      assert.notEqual(either.conclusion, 'skipped');
    }
    assert.deepEqual(suiteState([done('success'), done('failure')]), done('failure'));
  });
});
