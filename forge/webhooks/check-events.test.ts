import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import type { Installation } from '../model/app.ts';
import { noObject, type ObjectId, parseObjectId, parseRefName } from '../git/names.ts';
import { changeRefs } from '../ref-updates/change-refs.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { type Received, type Receiver, startReceiver } from '../testing/receiver-fixture.ts';
import { createTestApp, type TestApp } from '../testing/test-app.ts';
import {
  startTestForge,
  type TestClient,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';
import { createDeliverer, type Deliverer } from './delivery-worker.ts';

describe('the events of checks', () => {
  let forge: TestForge;
  let owner: TestUser;
  let receiver: Receiver;
  let deliverer: Deliverer;
  let robot: TestApp;
  let installation: Installation;
  let bot: TestClient;
  let reader: TestApp;
  let otherBot: TestClient;
  let name: string;
  let serial = 0;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('own');
    receiver = await startReceiver();
    deliverer = createDeliverer(forge.ports, (error) => {
      throw error;
    });
    robot = await createTestApp(forge, owner.account.id, {
      permissions: { checks: 'write' },
      hookUrl: receiver.url,
    });
    installation = await robot.install('own');
    bot = await robot.token(installation);
    reader = await createTestApp(forge, owner.account.id, {
      name: 'Reader',
      permissions: { checks: 'read' },
      events: ['check_run', 'check_suite'],
      hookUrl: receiver.url,
    });
    await reader.install('own');
    // Has no webhook, so that it gets nothing.
    const other = await createTestApp(forge, owner.account.id, {
      name: 'Other',
      permissions: { checks: 'write' },
    });
    otherBot = await other.token(await other.install('own'));
  });
  after(async () => {
    await deliverer.close();
    await receiver.close();
    await forge.close();
  });

  beforeEach(async () => {
    name = await forge.repository(owner);
    await sent();
  });

  const at = (path: string): string => `/repos/${name}${path}`;

  async function sent(): Promise<Received[]> {
    await deliverer.deliverDue();
    return receiver.take();
  }

  /** Who gets what: the App or `repository`, event and action. */
  async function events(): Promise<string[]> {
    const all = await sent();
    const apps = new Map([robot, reader].map(({ app }) => [String(app.id), app.slug]));
    return all
      .map(({ headers, body }) => {
        const target = String(headers['x-github-hook-installation-target-id']);
        const isApp = headers['x-github-hook-installation-target-type'] === 'integration';
        const who = isApp ? apps.get(target) : 'repository';
        return `${who} ${String(headers['x-github-event'])} ${body.action}`;
      })
      .toSorted();
  }

  async function commit(branch = 'main'): Promise<string> {
    serial += 1;
    return commitFiles(forge, name, branch, { file: `${serial}` });
  }

  async function created(sha: string, body: object = {}): Promise<TestResponse['body']> {
    const response = await bot.post(at('/check-runs'), { name: 'lint', head_sha: sha, ...body });
    assert.equal(response.status, 201, response.text);
    return response.body;
  }

  test('a push asks each App that writes checks to begin its own', async () => {
    const first = await commit();
    const second = await commit();
    // Deliveries are in no fixed order.
    const all = (await sent()).toSorted(
      (one, other) => one.body.check_suite.id - other.body.check_suite.id,
    );
    assert.deepEqual(
      all.map(({ body }) => [body.action, body.check_suite.head_sha, body.check_suite.before]),
      [
        ['requested', first, null],
        ['requested', second, first],
      ],
    );
    const suite = all[1]?.body.check_suite;
    assert.equal(suite.head_branch, 'main');
    assert.equal(suite.status, 'queued');
    assert.equal(suite.app.id, robot.app.id);
    assert.equal(all[1]?.body.installation.id, installation.id);
    const { body } = await owner.get(at(`/commits/${second}/check-suites`));
    assert.equal(body.total_count, 2, 'also for the App without a webhook');
  });

  test('tags, deleted branches and commits that have a suite ask for nothing', async () => {
    const sha = await commit();
    await sent();
    const tag = await owner.post(at('/git/refs'), { ref: 'refs/tags/v1', sha });
    assert.equal(tag.status, 201);
    await owner.post(at('/git/refs'), { ref: 'refs/heads/again', sha });
    await owner.delete(at('/git/refs/heads/again'));
    assert.deepEqual(await events(), []);
  });

  test('a push of many branches asks for nothing', async () => {
    const sha = await commit();
    await sent();
    const id = await repositoryId(forge, name);
    const git = forge.git.repository(id);
    const tip = parseObjectId(sha);
    const main = tip && (await git.readCommit(tip));
    assert.ok(main);
    const { tree, author } = main;
    const commitOf = (message: string): Promise<ObjectId> =>
      git.writeCommit({ tree, parents: [], author, committer: author, message });
    const push = async (branches: readonly string[]): Promise<void> => {
      const refs = await Promise.all(
        branches.map(async (branch) => {
          const ref = parseRefName(`refs/heads/${branch}`);
          assert.ok(ref);
          return { ref, old: noObject, new: await commitOf(branch) };
        }),
      );
      const moved = { repositoryId: id, refs, now: forge.clock.now() };
      assert.equal((await changeRefs(forge.ports, moved)).kind, 'updated');
    };
    await push(Array.from({ length: 51 }, (_none, index) => `many-${index}`));
    assert.deepEqual(await events(), []);
    await push(['few-1', 'few-2']);
    assert.deepEqual(await events(), [
      'robot check_suite requested',
      'robot check_suite requested',
    ]);
  });

  test('a merge asks for checks of the branch that it moved', async () => {
    const base = await commit();
    await commitFiles(forge, name, 'topic', { topic: 'new' }, { parents: [base] });
    const pull = await owner.post(at('/pulls'), { title: 'Topic', head: 'topic', base: 'main' });
    await sent();
    const merge = await owner.put(at(`/pulls/${pull.body.number}/merge`));
    assert.equal(merge.status, 200, merge.text);
    const [requested, ...others] = await sent();
    assert.deepEqual(others, []);
    assert.equal(requested?.body.check_suite.head_sha, merge.body.sha);
    assert.equal(requested?.body.check_suite.before, base);
  });

  test('preferences turn that off, and the App makes its suite itself', async () => {
    assert.equal((await bot.patch(at('/check-suites/preferences'), {})).status, 200);
    const wrong = { auto_trigger_checks: { app_id: robot.app.id, setting: false } };
    assert.equal((await owner.patch(at('/check-suites/preferences'), wrong)).status, 422);
    const unknown = { auto_trigger_checks: [{ app_id: 999_999, setting: false }] };
    assert.equal((await owner.patch(at('/check-suites/preferences'), unknown)).status, 422);
    const hidden = await createTestApp(forge, owner.account.id, { name: 'Hidden', public: false });
    const foreign = { auto_trigger_checks: [{ app_id: hidden.app.id, setting: false }] };
    const refused = await owner.patch(at('/check-suites/preferences'), foreign);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /is not installed here/);
    const setting = { app_id: robot.app.id, setting: false };
    const body = { auto_trigger_checks: [setting] };
    const set = await owner.patch(at('/check-suites/preferences'), body);
    assert.deepEqual(set.body.preferences.auto_trigger_checks, [setting]);
    const sha = await commit();
    assert.deepEqual(await events(), []);
    assert.equal((await owner.post(at('/check-suites'), { head_sha: sha })).status, 403);
    assert.equal((await bot.post(at('/check-suites'), { head_sha: '0'.repeat(40) })).status, 422);
    const first = await bot.post(at('/check-suites'), { head_sha: sha });
    const second = await bot.post(at('/check-suites'), { head_sha: sha });
    assert.deepEqual([first.status, second.status], [201, 200]);
    assert.equal(first.body.id, second.body.id);
  });

  test('runs and the suite that they complete reach all who subscribe, with the pull', async () => {
    const config = { url: `${receiver.url}repository`, content_type: 'json' };
    const base = await commit();
    const head = await commitFiles(forge, name, 'topic', { topic: 'new' }, { parents: [base] });
    const pull = await owner.post(at('/pulls'), { title: 'Topic', head: 'topic', base: 'main' });
    await owner.post(at('/hooks'), { config, events: ['check_run', 'check_suite'] });
    await sent();
    const one = await created(head);
    assert.deepEqual(await events(), [
      'reader check_run created',
      'repository check_run created',
      'robot check_run created',
    ]);
    await created(head, { name: 'types', conclusion: 'success' });
    assert.deepEqual(
      (await events()).filter((event) => event.startsWith('reader')),
      ['reader check_run completed', 'reader check_run created'],
    );
    await bot.patch(at(`/check-runs/${one.id}`), { conclusion: 'failure' });
    const last = await sent();
    const suites = last.filter(({ headers }) => headers['x-github-event'] === 'check_suite');
    assert.equal(last.length, 6);
    assert.equal(suites.length, 3);
    for (const { body } of suites) {
      assert.equal(body.action, 'completed');
      assert.equal(body.check_suite.conclusion, 'failure');
      assert.deepEqual(
        body.check_suite.pull_requests.map((each: { number: number }) => each.number),
        [pull.body.number],
      );
      assert.equal(body.sender.login, 'robot[bot]');
    }
    const run = last.find(({ headers }) => headers['x-github-event'] === 'check_run');
    assert.equal(run?.body.check_run.check_suite.head_branch, 'topic');
    assert.equal(run?.body.check_run.pull_requests[0].head.sha, head);
    await bot.patch(at(`/check-runs/${one.id}`), { output: { title: 'T', summary: 'S' } });
    assert.deepEqual(await events(), [], 'it was completed already');
  });

  test('a run that is asked for again is its App to answer, and its suite is queued', async () => {
    const sha = await commit();
    const run = await created(sha, { conclusion: 'failure' });
    await sent();
    const path = at(`/check-runs/${run.id}/rerequest`);
    assert.equal((await otherBot.post(path)).status, 403);
    assert.equal((await forge.anonymous.post(path)).status, 404);
    assert.equal((await owner.post(at('/check-runs/999999/rerequest'))).status, 404);
    assert.equal((await owner.post(path)).status, 201);
    assert.deepEqual(await events(), ['robot check_run rerequested']);
    const suite = at(`/check-suites/${run.check_suite.id}`);
    assert.equal((await owner.get(suite)).body.status, 'queued');
    const shown = await owner.get(at(`/check-runs/${run.id}`));
    assert.equal(shown.body.conclusion, 'failure', 'the run stays as it is');
    await created(sha, { conclusion: 'success' });
    assert.equal((await owner.get(suite)).body.conclusion, 'success');
    const completed = (await events()).filter((event) => event.includes('check_suite'));
    assert.deepEqual(completed, ['reader check_suite completed', 'robot check_suite completed']);
  });

  test('a suite that is asked for again is its App to answer', async () => {
    const run = await created(await commit(), { conclusion: 'success' });
    await sent();
    const suite = at(`/check-suites/${run.check_suite.id}`);
    assert.equal((await owner.post(at('/check-suites/999999/rerequest'))).status, 404);
    assert.equal((await bot.post(`${suite}/rerequest`)).status, 201);
    assert.deepEqual(await events(), ['robot check_suite rerequested']);
    const { status, conclusion } = (await owner.get(suite)).body;
    assert.deepEqual([status, conclusion], ['queued', null]);
  });
});
