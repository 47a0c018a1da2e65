import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('milestones', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  test('milestones are made by who may push', async () => {
    const name = await forge.repository(owner);
    assert.equal((await outsider.post(`/repos/${name}/milestones`, { title: '1.0' })).status, 404);
    const hidden = await forge.repository(owner, { private: true });
    assert.equal((await outsider.get(`/repos/${hidden}/milestones`)).status, 404);
    assert.equal((await owner.get(`/repos/${name}/milestones/1`)).status, 404);
    assert.equal((await owner.patch(`/repos/${name}/milestones/1`, {})).status, 404);
    assert.equal((await owner.delete(`/repos/${name}/milestones/1`)).status, 404);
  });

  test('a title is needed and its own, a state is one of two, a date is a date', async () => {
    const name = await forge.repository(owner);
    const post = (body: unknown): ReturnType<TestUser['post']> =>
      owner.post(`/repos/${name}/milestones`, body);
    assert.match((await post({})).body.errors[0].message, /"title" wasn't supplied\./);
    assert.equal((await post({ title: '' })).body.errors[0].code, 'missing_field');
    assert.match(
      (await post({ title: 'a', state: 'done' })).body.errors[0].message,
      /done is not a member/,
    );
    assert.deepEqual((await post({ title: 'a', due_on: 'soon' })).body.errors, [
      { resource: 'Milestone', code: 'invalid', field: 'due_on' },
    ]);
    const late = await post({ title: 'a', due_on: '+012345-01-01T00:00:00Z' });
    assert.equal(late.body.errors[0].field, 'due_on');
    assert.equal((await post({ title: 'a' })).status, 201);
    assert.equal((await post({ title: 'a' })).body.errors[0].code, 'already_exists');
    await post({ title: 'b' });
    const taken = await owner.patch(`/repos/${name}/milestones/2`, { title: 'a' });
    assert.equal(taken.body.errors[0].code, 'already_exists');
    assert.equal((await owner.get(`/repos/${name}/milestones?state=x`)).status, 422);
  });

  test('a milestone is made, closed, reopened and deleted; its number is not given again', async () => {
    const name = await forge.repository(owner);
    const created = await owner.post(`/repos/${name}/milestones`, {
      title: '1.0',
      description: 'First',
      due_on: '2026-03-01T07:00:00Z',
    });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers['location'], created.body.url);
    const { number, state, creator, open_issues: open, due_on: due } = created.body;
    assert.deepEqual(
      [number, state, creator.login, open, due],
      [1, 'open', 'own', 0, '2026-03-01T07:00:00Z'],
    );
    const path = `/repos/${name}/milestones/1`;
    const closed = await owner.patch(path, { state: 'closed', due_on: null });
    assert.deepEqual([closed.body.state, closed.body.due_on], ['closed', null]);
    assert.match(closed.body.closed_at, /Z$/);
    assert.deepEqual((await owner.get(`/repos/${name}/milestones`)).body, []);
    assert.equal((await owner.get(`/repos/${name}/milestones?state=all`)).body.length, 1);
    assert.equal((await owner.patch(path, { state: 'open' })).body.closed_at, null);
    assert.deepEqual((await owner.get(`${path}/labels`)).body, []);
    assert.equal((await owner.delete(path)).status, 204);
    assert.equal((await owner.post(`/repos/${name}/milestones`, { title: 'x' })).body.number, 2);
  });

  test('milestones come by due date, undated last', async () => {
    const name = await forge.repository(owner);
    await owner.post(`/repos/${name}/milestones`, { title: 'never' });
    await owner.post(`/repos/${name}/milestones`, {
      title: 'late',
      due_on: '2027-01-01T00:00:00Z',
    });
    await owner.post(`/repos/${name}/milestones`, {
      title: 'soon',
      due_on: '2026-02-01T00:00:00Z',
    });
    const titles = async (query: string): Promise<string[]> =>
      (await owner.get(`/repos/${name}/milestones${query}`)).body.map(
        (milestone: { title: string }) => milestone.title,
      );
    assert.deepEqual(await titles(''), ['soon', 'late', 'never']);
    assert.deepEqual(await titles('?direction=desc'), ['never', 'late', 'soon']);
    assert.deepEqual(await titles('?sort=completeness'), ['never', 'late', 'soon']);
  });
});
