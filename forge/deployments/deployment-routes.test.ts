import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

describe('deployments', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;
  let name: string;
  let main: string;
  let topic: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    stranger = await forge.user('stranger');
  });
  after(() => forge.close());

  beforeEach(async () => {
    name = await forge.repository(owner);
    main = await commitFiles(forge, name, 'main', { a: '1\n', b: '1\n' });
    topic = await commitFiles(forge, name, 'topic', { b: '2\n' }, { parents: [main] });
  });

  const at = (path = ''): string => `/repos/${name}/deployments${path}`;

  async function deploy(body: object): Promise<TestResponse['body']> {
    const response = await owner.post(at(), { ref: 'main', ...body });
    assert.equal(response.status, 201, response.text);
    return response.body;
  }

  async function report(id: number, body: object): Promise<TestResponse['body']> {
    const response = await owner.post(at(`/${id}/statuses`), body);
    assert.equal(response.status, 201, response.text);
    return response.body;
  }

  const states = async (id: number): Promise<string[]> =>
    (await owner.get(at(`/${id}/statuses`))).body.map((status: { state: string }) => status.state);

  test('are refused to those who may not push, and of what is not there', async () => {
    const { id } = await deploy({});
    for (const [path, body] of [
      ['', { ref: 'main' }],
      [`/${id}/statuses`, { state: 'success' }],
    ] as const) {
      assert.equal((await stranger.post(at(path), body)).status, 404, path);
      assert.equal((await forge.anonymous.post(at(path), body)).status, 404, path);
    }
    assert.equal((await stranger.delete(at(`/${id}`))).status, 404);
    for (const path of ['/99', '/99/statuses', `/${id}/statuses/99`]) {
      assert.equal((await owner.get(at(path))).status, 404, path);
    }
    assert.equal((await owner.post(at('/99/statuses'), { state: 'error' })).status, 404);
    assert.equal((await owner.delete(at('/99'))).status, 404);
    const absent = await owner.post(at(), { ref: 'absent' });
    assert.deepEqual([absent.status, absent.body.message], [422, 'No ref found for: absent']);
    const other = await forge.repository(owner, { init: true });
    assert.equal((await owner.get(`/repos/${other}/deployments/${id}`)).status, 404);
  });

  test('are refused with values that are no deployment', async () => {
    const long = 'x'.repeat(256);
    for (const body of [
      {},
      { ref: 3 },
      { ref: 'main', task: long },
      { ref: 'main', environment: long },
      { ref: 'main', description: long },
      { ref: 'main', payload: 'x'.repeat(70_000) },
      { ref: 'main', required_contexts: 'ci' },
    ]) {
      const { status, body: refused } = await owner.post(at(), body);
      assert.equal(status, 422, JSON.stringify(body).slice(0, 60));
      assert.equal(refused.errors[0].resource, 'Deployment');
    }
    const { id } = await deploy({});
    for (const body of [
      {},
      { state: 'done' },
      { state: 'success', log_url: 'javascript:alert(1)' },
      { state: 'success', environment_url: 'nowhere' },
      { state: 'success', description: long },
    ]) {
      const { status, body: refused } = await owner.post(at(`/${id}/statuses`), body);
      assert.deepEqual([status, refused.errors[0].resource], [422, 'DeploymentStatus']);
    }
    assert.deepEqual(await states(id), []);
  });

  test('are created with defaults, listed, filtered and shown', async () => {
    const response = await owner.post(at(), { ref: 'main' });
    const first = response.body;
    assert.equal(response.headers['location'], first.url);
    assert.deepEqual(
      [first.sha, first.ref, first.task, first.environment, first.payload, first.description],
      [main, 'main', 'deploy', 'production', {}, null],
    );
    assert.deepEqual([first.production_environment, first.transient_environment], [true, false]);
    const second = await deploy({
      ref: topic,
      task: 'deploy:migrations',
      environment: 'qa',
      payload: 'text',
      description: 'Try it',
    });
    assert.deepEqual([second.payload, second.production_environment], ['text', false]);
    assert.deepEqual((await forge.anonymous.get(at())).body, [second, first]);
    assert.deepEqual((await owner.get(at(`/${second.id}`))).body, second);
    for (const query of [`sha=${topic}`, `ref=${topic}`, 'task=deploy:migrations']) {
      assert.deepEqual((await owner.get(at(`?${query}`))).body, [second], query);
    }
    assert.deepEqual((await owner.get(at('?environment=production&task=none'))).body, [first]);
  });

  test('merge the default branch first, unless that is switched off', async () => {
    const ahead = await commitFiles(forge, name, 'main', { a: '2\n' }, { parents: [main] });
    const merged = await owner.post(at(), { ref: 'topic' });
    assert.deepEqual(
      [merged.status, merged.body.message],
      [202, 'Auto-merged main into topic on deployment.'],
    );
    const { body: tip } = await owner.get(`/repos/${name}/commits/topic`);
    assert.deepEqual(
      tip.parents.map((parent: { sha: string }) => parent.sha),
      [topic, ahead],
    );
    assert.deepEqual((await owner.get(at())).body, []);
    assert.equal((await deploy({ ref: 'topic' })).sha, tip.sha);
    // A commit cannot be merged into.
    const behind = await owner.post(at(), { ref: topic });
    assert.deepEqual(
      [behind.status, behind.body.message],
      [409, `Conflict merging main into ${topic}.`],
    );
    assert.equal((await deploy({ ref: topic, auto_merge: false })).sha, topic);
    await commitFiles(forge, name, 'clash', { a: '3\n' }, { parents: [main] });
    const clash = await owner.post(at(), { ref: 'clash' });
    assert.deepEqual(
      [clash.status, clash.body.message],
      [409, 'Conflict merging main into clash.'],
    );
  });

  test('need successful checks, all or those that are named', async () => {
    const status = (context: string, state: string): Promise<TestResponse> =>
      owner.post(`/repos/${name}/statuses/${main}`, { context, state });
    await status('ci', 'success');
    await status('lint', 'failure');
    const refused = await owner.post(at(), { ref: 'main' });
    assert.deepEqual(
      [refused.status, refused.body.message, refused.body.errors],
      [
        409,
        'Conflict: Commit status checks failed for main.',
        [
          {
            contexts: [
              { context: 'ci', state: 'success' },
              { context: 'lint', state: 'failure' },
            ],
            resource: 'Deployment',
            field: 'required_contexts',
            code: 'invalid',
          },
        ],
      ],
    );
    const unreported = await owner.post(at(), { ref: 'main', required_contexts: ['CI', 'none'] });
    assert.deepEqual(unreported.body.errors[0].contexts, [
      { context: 'CI', state: 'success' },
      { context: 'none', state: 'pending' },
    ]);
    assert.deepEqual((await owner.get(at())).body, []);
    await deploy({ required_contexts: ['ci'] });
    await deploy({ required_contexts: [] });
    await status('lint', 'success');
    await deploy({});
  });

  test('need that all contexts succeed, however many there are', async () => {
    for (let index = 0; index < 101; index += 1) {
      const body = { context: `c${index}`, state: index < 100 ? 'success' : 'error' };
      await owner.post(`/repos/${name}/statuses/${main}`, body);
    }
    assert.equal((await owner.post(at(), { ref: 'main' })).status, 409);
  });

  test('have statuses, of which a success ends the earlier ones in its environment', async () => {
    const first = await deploy({ environment: 'qa' });
    const production = await deploy({});
    const transient = await deploy({ environment: 'qa', transient_environment: true });
    for (const { id } of [first, production, transient]) await report(id, { state: 'success' });
    const second = await deploy({ environment: 'staging' });
    const shown = await report(second.id, {
      state: 'success',
      environment: 'qa',
      target_url: 'https://ci.test/1',
      environment_url: 'https://qa.test/',
      description: 'Done',
    });
    assert.deepEqual(
      [shown.environment, shown.log_url, shown.target_url, shown.environment_url],
      ['qa', 'https://ci.test/1', 'https://ci.test/1', 'https://qa.test/'],
    );
    const path = at(`/${second.id}/statuses/${shown.id}`);
    assert.deepEqual((await owner.get(path)).body, shown);
    const moved = (await owner.get(at(`/${second.id}`))).body;
    assert.deepEqual([moved.environment, moved.original_environment], ['qa', 'staging']);
    assert.deepEqual(await states(first.id), ['inactive', 'success']);
    assert.deepEqual(await states(transient.id), ['success']);
    assert.deepEqual(await states(production.id), ['success']);
    const third = await deploy({ environment: 'qa' });
    await report(third.id, { state: 'success', auto_inactive: false });
    assert.deepEqual(await states(second.id), ['success']);
  });

  test('are deleted unless active, or alone', async () => {
    const first = await deploy({});
    await report(first.id, { state: 'success' });
    const second = await deploy({});
    const refused = await owner.delete(at(`/${first.id}`));
    assert.equal(refused.status, 422);
    assert.match(refused.body.message, /^We cannot delete an active deployment/);
    assert.equal((await owner.delete(at(`/${second.id}`))).status, 204);
    assert.equal((await owner.delete(at(`/${first.id}`))).status, 204);
    assert.deepEqual((await owner.get(at())).body, []);
  });

  test('make the environments of the repository', async () => {
    await deploy({ environment: 'review/a b' });
    const { id } = await deploy({});
    await report(id, { state: 'queued', environment: 'qa' });
    const { body } = await forge.anonymous.get(`/repos/${name}/environments`);
    assert.deepEqual(
      [body.total_count, body.environments.map((each: { name: string }) => each.name)],
      [3, ['production', 'qa', 'review/a b']],
    );
    const [, , last] = body.environments;
    assert.deepEqual((await owner.get(new URL(last.url).pathname)).body, last);
    assert.equal((await owner.get(`/repos/${name}/environments/none`)).status, 404);
    const { pathname, search } = new URL(last.html_url);
    const shown = await forge.anonymous.get(`${pathname}${search}`);
    assert.equal(shown.status, 200);
    assert.match(shown.text, /Deployments to review\/a b/);
    assert.doesNotMatch(shown.text, />qa</);
  });

  test('are open to tokens for deployments, which open no code', async () => {
    const hidden = await forge.repository(owner, { private: true, init: true });
    const token = await forge.withScopes(owner, ['repo_deployment']);
    const made = await token.post(`/repos/${hidden}/deployments`, { ref: 'main' });
    assert.equal(made.status, 201, made.text);
    assert.equal((await token.get(`/repos/${hidden}/deployments`)).status, 200);
    assert.equal((await token.get(`/repos/${hidden}/contents/`)).status, 404);
    assert.equal((await stranger.get(`/repos/${hidden}/deployments`)).status, 404);
  });
});
