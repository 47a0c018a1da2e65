import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { noObject, type ObjectId, parseRefName } from '../git/names.ts';
import { openPull, untilChecked } from '../testing/pull-fixture.ts';
import { changeRefs } from '../ref-updates/change-refs.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createDeliverer, type Deliverer } from './delivery-worker.ts';
import { type Received, type Receiver, startReceiver } from '../testing/receiver-fixture.ts';

describe('what a push event says of its commits', () => {
  let forge: TestForge;
  let owner: TestUser;
  let receiver: Receiver;
  let deliverer: Deliverer;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('pusher');
    receiver = await startReceiver();
    deliverer = createDeliverer(forge.ports, (error) => {
      throw error;
    });
  });
  after(async () => {
    await deliverer.close();
    await receiver.close();
    await forge.close();
  });

  async function hook(name: string): Promise<void> {
    const config = { url: receiver.url, content_type: 'json' };
    const response = await owner.post(`/repos/${name}/hooks`, { config, events: ['push'] });
    assert.equal(response.status, 201, response.text);
    await deliverer.deliverDue();
    receiver.take();
  }

  /** The payloads of the pushes since the last time, by their refs. */
  async function pushes(): Promise<ReadonlyMap<string, Received['body']>> {
    await deliverer.deliverDue();
    return new Map(receiver.take().map(({ body }) => [body.ref, body]));
  }

  async function push(): Promise<Received['body']> {
    const all = await pushes();
    assert.equal(all.size, 1);
    return [...all.values()][0];
  }

  const commitsOf = (body: Received['body']): [id: string, distinct: boolean][] =>
    body.commits.map((commit: { id: string; distinct: boolean }) => [commit.id, commit.distinct]);

  /** Moves refs in one push, in this order. */
  async function move(name: string, ...moves: [ref: string, to: ObjectId][]): Promise<void> {
    const id = await repositoryId(forge, name);
    const git = forge.git.repository(id);
    const refs = [];
    for (const [text, to] of moves) {
      const ref = parseRefName(text);
      assert.ok(ref);
      refs.push({ ref, old: (await git.readRef(ref)) ?? noObject, new: to });
    }
    const change = { repositoryId: id, refs, now: forge.clock.now() };
    assert.equal((await changeRefs(forge.ports, change)).kind, 'updated');
  }

  test('a branch that is new where another one stands brings no commits and names that one', async () => {
    const name = await forge.repository(owner);
    const one = await commitFiles(forge, name, 'main', { a: 'a' });
    const two = await commitFiles(forge, name, 'main', { a: 'b' });
    await hook(name);
    await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/heads/side', sha: two });
    const there = await push();
    assert.deepEqual(there.commits, []);
    assert.equal(there.base_ref, 'refs/heads/main');
    assert.equal(there.head_commit.id, two);
    assert.deepEqual(there.head_commit.modified, ['a']);
    await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/heads/past', sha: one });
    const past = await push();
    assert.deepEqual(past.commits, []);
    assert.equal(past.base_ref, null);
    assert.equal(past.head_commit.id, one);
  });

  test('a branch that is new brings the commits that no other ref has', async () => {
    const name = await forge.repository(owner);
    const base = await commitFiles(forge, name, 'main', { a: 'a' });
    const dev = await commitFiles(forge, name, 'dev', { d: 'd' }, { parents: [base] });
    await hook(name);
    const topic = await commitFiles(forge, name, 'topic', { t: 't' }, { parents: [dev] });
    const body = await push();
    assert.deepEqual(commitsOf(body), [[topic, true]]);
    assert.equal(body.base_ref, null);
    assert.equal(body.head_commit.id, topic);
    assert.equal(body.head_commit.distinct, true);
  });

  test('the first push of a repository brings all of its history', async () => {
    const name = await forge.repository(owner);
    await hook(name);
    const first = await commitFiles(forge, name, 'main', { a: 'a' });
    assert.deepEqual(commitsOf(await push()), [[first, true]]);
  });

  test('a tag brings no commits that a branch has, and names the branch that stands there', async () => {
    const name = await forge.repository(owner);
    await commitFiles(forge, name, 'main', { a: 'a' });
    const two = await commitFiles(forge, name, 'main', { a: 'b' });
    await hook(name);
    await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/tags/light', sha: two });
    const light = await push();
    assert.deepEqual(light.commits, []);
    assert.equal(light.base_ref, 'refs/heads/main');
    assert.equal(light.head_commit.id, two);
    const created = await owner.post(`/repos/${name}/git/tags`, {
      tag: 'v1',
      message: 'One',
      object: two,
      type: 'commit',
    });
    await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/tags/v1', sha: created.body.sha });
    const annotated = await push();
    assert.equal(annotated.after, created.body.sha);
    assert.deepEqual(annotated.commits, []);
    assert.equal(annotated.base_ref, 'refs/heads/main');
    assert.equal(annotated.head_commit.id, two);
    assert.equal((await owner.delete(`/repos/${name}/git/refs/tags/v1`)).status, 204);
    const gone = await push();
    assert.deepEqual([gone.commits, gone.base_ref, gone.head_commit], [[], null, null]);
  });

  test('commits that another branch had are there, and are not distinct', async () => {
    const name = await forge.repository(owner);
    const base = await commitFiles(forge, name, 'main', { a: 'a' });
    const topic = await commitFiles(forge, name, 'topic', { t: 't' }, { parents: [base] });
    await hook(name);
    const merge = await commitFiles(
      forge,
      name,
      'main',
      { m: 'm' },
      { parents: [base, topic], message: 'Merge topic' },
    );
    const merged = await push();
    assert.deepEqual(commitsOf(merged), [
      [topic, false],
      [merge, true],
    ]);
    assert.equal(merged.base_ref, null);
    await move(name, ['refs/heads/topic', merge]);
    const followed = await push();
    assert.deepEqual(commitsOf(followed), [[merge, false]]);
    assert.equal(followed.base_ref, 'refs/heads/main');
  });

  test('of several refs in one push the first brings what they share', async () => {
    const name = await forge.repository(owner);
    const git = forge.git.repository(await repositoryId(forge, name));
    const base = await commitFiles(forge, name, 'main', { a: 'a' });
    const aside = await commitFiles(forge, name, 'aside', { b: 'b' }, { parents: [base] });
    const more = await commitFiles(forge, name, 'aside', { c: 'c' });
    await move(name, ['refs/heads/aside', noObject]);
    await hook(name);
    assert.ok(await git.readCommit(more));
    await move(
      name,
      ['refs/heads/one', aside],
      ['refs/heads/two', more],
      ['refs/heads/three', more],
      ['refs/tags/four', more],
    );
    const all = await pushes();
    assert.deepEqual(commitsOf(all.get('refs/heads/one')), [[aside, true]]);
    assert.deepEqual(commitsOf(all.get('refs/heads/two')), [[more, true]]);
    assert.deepEqual(commitsOf(all.get('refs/heads/three')), []);
    assert.equal(all.get('refs/heads/three').base_ref, 'refs/heads/two');
    assert.deepEqual(commitsOf(all.get('refs/tags/four')), []);
    assert.equal(all.get('refs/heads/one').base_ref, null);
  });

  test('it is what was so when the ref moved, however late it is sent', async () => {
    const { name, path, head } = await openPull(forge, owner);
    await hook(name);
    const next = await commitFiles(forge, name, 'topic', { late: 'x' }, { parents: [head] });
    await untilChecked(forge, owner, path);
    const merged = await owner.put(`${path}/merge`, {});
    assert.equal(merged.status, 200, merged.text);
    assert.equal((await owner.delete(`/repos/${name}/git/refs/heads/topic`)).status, 204);
    await deliverer.deliverDue();
    const sent = receiver.take().map(({ body }) => body);
    const moved = sent.find(({ ref, after: tip }) => ref === 'refs/heads/topic' && tip === next);
    assert.deepEqual(commitsOf(moved), [[next, true]], 'main has it by now, and had not');
    const main = sent.find(({ ref }) => ref === 'refs/heads/main');
    assert.deepEqual(
      commitsOf(main).map(([, distinct]) => distinct),
      [false, false, true],
    );
  });

  test('a force-pushed branch lists its new commits, and is forced', async () => {
    const name = await forge.repository(owner);
    const one = await commitFiles(forge, name, 'main', { a: 'a' });
    await commitFiles(forge, name, 'main', { a: 'b' });
    await hook(name);
    const other = await commitFiles(forge, name, 'main', { a: 'c' }, { parents: [one] });
    const body = await push();
    assert.equal(body.forced, true);
    assert.deepEqual(commitsOf(body), [[other, true]]);
  });

  test('is not sent, and no failure of the server, when its repository is deleted meanwhile', async () => {
    const name = await forge.repository(owner);
    await hook(name);
    await commitFiles(forge, name, 'main', { a: 'a' });
    const { git, background } = forge.ports;
    const deleting = createDeliverer(
      {
        ...forge.ports,
        git: {
          ...git,
          repository: (id) =>
            new Proxy(git.repository(id), {
              get: (target, property) =>
                property === 'resolveCommit'
                  ? async (revision: string) => {
                      assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
                      await background.idle();
                      return target.resolveCommit(revision);
                    }
                  : Reflect.get(target, property),
            }),
        },
      },
      (error) => {
        throw error;
      },
    );
    await deleting.deliverDue();
    await deleting.close();
    assert.deepEqual(receiver.take(), []);
    assert.equal((await pushes()).size, 0);
  });
});
