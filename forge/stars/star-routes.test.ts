import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const starJson = { accept: 'application/vnd.github.star+json' };

describe('stars', () => {
  let forge: TestForge;
  let owner: TestUser;
  let fan: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    fan = await forge.user('fan');
  });
  after(() => forge.close());

  const namesOf = (body: { full_name: string }[]): string[] => body.map((each) => each.full_name);
  const loginsOf = (body: { login: string }[]): string[] => body.map((each) => each.login);

  test('are refused to those who may not see the repository, or have no scope for it', async () => {
    const hidden = await forge.repository(owner, { private: true });
    const open = await forge.repository(owner);
    const narrow = await forge.withScopes(fan, ['user']);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const path = `/user/starred/${hidden}`;
      assert.equal((await fan.send(method, path)).status, 404, method);
      assert.equal((await forge.anonymous.send(method, path)).status, 401, method);
    }
    assert.equal((await narrow.put(`/user/starred/${open}`)).status, 404);
    assert.equal((await owner.get(`/repos/${open}`)).body.stargazers_count, 0);
    assert.equal((await fan.get(`/repos/${hidden}/stargazers`)).status, 404);
  });

  test('are counted once, and listed with their times where that is asked for', async () => {
    const name = await forge.repository(owner);
    assert.equal((await fan.get(`/user/starred/${name}`)).status, 404);
    assert.equal((await fan.put(`/user/starred/${name}`)).status, 204);
    assert.equal((await fan.put(`/user/starred/${name}`)).status, 204);
    assert.equal((await fan.get(`/user/starred/${name}`)).status, 204);
    assert.equal((await owner.get(`/user/starred/${name}`)).status, 404);
    const { body } = await owner.get(`/repos/${name}`);
    assert.deepEqual([body.stargazers_count, body.watchers_count, body.watchers], [1, 1, 1]);
    assert.deepEqual(loginsOf((await owner.get(`/repos/${name}/stargazers`)).body), ['fan']);
    const [timed] = (await owner.get(`/repos/${name}/stargazers`, starJson)).body;
    assert.equal(timed.user.login, 'fan');
    assert.match(timed.starred_at, /^\d{4}-/);
    assert.deepEqual(namesOf((await fan.get('/user/starred')).body), [name]);
    const [listed] = (await fan.get('/user/starred', starJson)).body;
    assert.deepEqual([listed.repo.full_name, listed.starred_at], [name, timed.starred_at]);
    assert.equal((await fan.delete(`/user/starred/${name}`)).status, 204);
    assert.equal((await fan.delete(`/user/starred/${name}`)).status, 204);
    assert.equal((await owner.get(`/repos/${name}`)).body.stargazers_count, 0);
    assert.deepEqual((await fan.get('/user/starred')).body, []);
  });

  test('show outsiders no private repository, nor that there is one', async () => {
    const lover = await forge.user('lover');
    const open = await forge.repository(owner);
    const hidden = await forge.repository(lover, { private: true });
    for (const name of [open, hidden]) await lover.put(`/user/starred/${name}`);
    assert.deepEqual(namesOf((await lover.get('/user/starred')).body), [hidden, open]);
    const seen = await fan.get('/users/lover/starred?per_page=1');
    assert.deepEqual([namesOf(seen.body), seen.headers['link']], [[open], undefined]);
    const narrow = await forge.withScopes(lover, ['public_repo']);
    assert.deepEqual(namesOf((await narrow.get('/user/starred')).body), [open]);
    await lover.patch(`/repos/${hidden}`, { private: false });
    assert.deepEqual(namesOf((await fan.get('/users/lover/starred?direction=asc')).body), [
      open,
      hidden,
    ]);
  });

  test('send an event the first time, and order repositories', async () => {
    const name = await forge.repository(owner, { name: 'popular-thing' });
    const other = await forge.repository(owner, { name: 'popular-other' });
    const events = ['star', 'watch'];
    await owner.post(`/repos/${name}/hooks`, { config: { url: 'http://receiver.test/' }, events });
    await fan.put(`/user/starred/${name}`);
    await fan.put(`/user/starred/${name}`);
    const sent = async (): Promise<string[]> => {
      const rows = await forge.database.read((sql) =>
        sql.all<{ event: string; action: string | null }>(
          `select d.event, d.action from webhook_deliveries d join webhooks w on w.id = d.webhook_id
           join repositories r on r.id = w.repository_id
           where r.name = 'popular-thing' and d.event <> 'ping' order by d.id`,
        ),
      );
      return rows.map(({ event, action }) => `${event} ${action}`);
    };
    assert.deepEqual(await sent(), ['star created', 'watch started']);
    const [event] = (await fan.get(`/repos/${name}/events`)).body;
    assert.deepEqual([event.type, event.actor.login], ['WatchEvent', 'fan']);
    assert.deepEqual(event.payload, { action: 'started' });
    await fan.delete(`/user/starred/${name}`);
    assert.equal((await sent()).at(-1), 'star deleted');
    await fan.put(`/user/starred/${other}`);
    const found = await fan.get('/search/repositories?q=popular&sort=stars');
    assert.deepEqual(namesOf(found.body.items), [other, name]);
    const starred = await fan.get('/search/repositories?q=popular+stars:>0');
    assert.deepEqual(namesOf(starred.body.items), [other]);
  });
});
