import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type OpenedPull, openPull, untilChecked } from '../testing/pull-fixture.ts';
import { createTestApp, type TestApp } from '../testing/test-app.ts';
import {
  startTestForge,
  type TestClient,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

describe('required checks that an App must report', () => {
  let forge: TestForge;
  let owner: TestUser;
  let robot: TestApp;
  let bot: TestClient;
  let other: TestApp;
  let otherBot: TestClient;
  let pull: OpenedPull;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    pull = await openPull(forge, owner);
    const permissions = { checks: 'write', statuses: 'write' };
    robot = await createTestApp(forge, owner.account.id, { permissions });
    bot = await robot.token(await robot.install('own'));
    other = await createTestApp(forge, owner.account.id, { name: 'Other', permissions });
    otherBot = await other.token(await other.install('own'));
  });
  after(() => forge.close());

  const at = (path: string): string => `/repos/${pull.name}${path}`;
  const protection = (): string => at('/branches/main/protection');

  function demanding(required: object): Promise<TestResponse> {
    return owner.put(protection(), {
      required_status_checks: { strict: false, ...required },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    });
  }

  async function checksOf(path: string): Promise<unknown> {
    const { body } = await owner.get(path);
    return (body.required_status_checks ?? body.protection?.required_status_checks ?? body).checks;
  }

  const report = (client: TestClient, conclusion: string, name = 'ci'): Promise<TestResponse> =>
    client.post(at('/check-runs'), { name, head_sha: pull.head, conclusion });

  /** Why the pull cannot be merged. */
  async function refusal(): Promise<string> {
    assert.equal((await untilChecked(forge, owner, pull.path)).body.mergeable_state, 'blocked');
    const { status, body } = await owner.put(`${pull.path}/merge`);
    assert.equal(status, 405);
    return body.message;
  }

  async function state(): Promise<string> {
    return (await untilChecked(forge, owner, pull.path)).body.mergeable_state;
  }

  test('are refused with an App that does not exist, and without any list', async () => {
    for (const required of [
      {},
      { checks: [{ context: 'ci', app_id: 999_999 }] },
      { checks: [{ context: 'ci', app_id: -2 }] },
      { checks: [{ app_id: 1 }] },
      { checks: [{ context: 'ci', app_id: '1' }] },
    ]) {
      assert.equal((await demanding(required)).status, 422, JSON.stringify(required));
    }
  });

  test('are stored and shown by all endpoints, and stay when contexts change', async () => {
    const appId = robot.app.id;
    const set = await demanding({
      contexts: ['old', 'ci'],
      checks: [{ context: 'ci', app_id: appId }],
    });
    assert.equal(set.status, 200, set.text);
    const shown = [
      { context: 'ci', app_id: appId },
      { context: 'old', app_id: null },
    ];
    assert.deepEqual(set.body.required_status_checks.checks, shown);
    assert.deepEqual(set.body.required_status_checks.contexts, ['ci', 'old']);
    const path = `${protection()}/required_status_checks`;
    for (const each of [protection(), path, at('/branches/main')]) {
      assert.deepEqual(await checksOf(each), shown, each);
    }
    assert.deepEqual((await owner.get(`${path}/contexts`)).body, ['ci', 'old']);
    assert.deepEqual((await owner.post(`${path}/contexts`, ['ci', 'new'])).body, [
      'ci',
      'old',
      'new',
    ]);
    assert.deepEqual((await owner.delete(`${path}/contexts`, ['old'])).body, ['ci', 'new']);
    const kept = [
      { context: 'ci', app_id: appId },
      { context: 'new', app_id: null },
    ];
    assert.deepEqual(await checksOf(path), kept);
    assert.deepEqual((await owner.put(`${path}/contexts`, ['ci'])).body, ['ci']);
    assert.deepEqual(await checksOf(path), [{ context: 'ci', app_id: appId }]);
    assert.equal((await owner.patch(path, { strict: true })).status, 200);
    assert.deepEqual(await checksOf(path), [{ context: 'ci', app_id: appId }]);
    await owner.patch(path, { checks: [{ context: 'ci', app_id: -1 }] });
    assert.deepEqual(await checksOf(path), [{ context: 'ci', app_id: null }]);
  });

  test('are met by what their App reports alone, as a check run or a status', async () => {
    const required = { checks: [{ context: 'ci', app_id: robot.app.id }] };
    assert.equal((await demanding(required)).status, 200);
    const expected = 'Required status check "ci" is expected.';
    await report(otherBot, 'success');
    assert.equal(await refusal(), expected, 'of another App');
    const status = { state: 'success', context: 'ci' };
    await owner.post(at(`/statuses/${pull.head}`), status);
    assert.equal(await refusal(), expected, 'of a user');
    await report(bot, 'failure');
    assert.equal(await refusal(), 'Required status check "ci" is failing.');
    await report(bot, 'success');
    assert.notEqual(await state(), 'blocked');
    await report(otherBot, 'failure');
    assert.notEqual(await state(), 'blocked', 'another App does not matter');
    await demanding({ checks: [{ context: 'deploy', app_id: robot.app.id }] });
    const posted = await bot.post(at(`/statuses/${pull.head}`), { ...status, context: 'deploy' });
    assert.equal(posted.status, 201, posted.text);
    assert.notEqual(await state(), 'blocked');
  });

  test('without a choice are those of the App that reported the check last', async () => {
    await report(bot, 'success', 'lint');
    await report(otherBot, 'success', 'lint');
    await demanding({ checks: [{ context: 'lint' }, { context: 'unknown' }] });
    assert.deepEqual(await checksOf(protection()), [
      { context: 'lint', app_id: other.app.id },
      { context: 'unknown', app_id: null },
    ]);
  });

  test('of one context by two Apps must both be met', async () => {
    const [one, two] = [robot.app.id, other.app.id];
    await demanding({ checks: [one, two].map((id) => ({ context: 'both', app_id: id })) });
    await report(bot, 'success', 'both');
    assert.equal(await refusal(), 'Required status check "both" is expected.');
    await report(otherBot, 'success', 'both');
    assert.notEqual(await state(), 'blocked');
    assert.equal((await owner.put(`${pull.path}/merge`)).status, 200);
  });
});
