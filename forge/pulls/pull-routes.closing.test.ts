import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { noObject, parseObjectId, parseRefName } from '../git/names.ts';
import { changeRefs } from '../ref-updates/change-refs.ts';
import { insertIntent } from '../ref-updates/intent-store.ts';
import { reconcile } from '../testing/reconcile.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { openPull, type OpenedPull, untilChecked } from '../testing/pull-fixture.ts';

describe('issues that a merged pull or a commit says it closes', () => {
  let forge: TestForge;
  let owner: TestUser;
  let helper: TestUser;
  let files = 0;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    helper = await forge.user('helper');
  });
  after(() => forge.close());

  async function issue(name: string, user: TestUser = owner): Promise<number> {
    const created = await user.post(`/repos/${name}/issues`, { title: 'To do' });
    assert.equal(created.status, 201, created.text);
    return created.body.number;
  }

  async function stateOf(name: string, number: number): Promise<string> {
    return (await owner.get(`/repos/${name}/issues/${number}`)).body.state;
  }

  async function closedEvent(name: string, number: number) {
    const { body } = await owner.get(`/repos/${name}/issues/${number}/events`);
    return body.find((row: { event: string }) => row.event === 'closed');
  }

  /** A pull and an issue that its body closes. */
  async function pullFor(
    text: (number: number) => string,
  ): Promise<OpenedPull & { issue: number }> {
    const pull = await openPull(forge, owner);
    const number = await issue(pull.name);
    await owner.patch(pull.path, { body: text(number) });
    await untilChecked(forge, owner, pull.path);
    return { ...pull, issue: number };
  }

  async function merge(pull: OpenedPull, user: TestUser = owner): Promise<void> {
    const merged = await user.put(`${pull.path}/merge`, { commit_message: 'A message of its own' });
    assert.equal(merged.status, 200, merged.text);
  }

  async function writeFile(name: string, message: string, user: TestUser = owner): Promise<string> {
    files += 1;
    const put = await user.put(`/repos/${name}/contents/file-${files}`, {
      message,
      content: '',
    });
    assert.equal(put.status, 201, put.text);
    return put.body.commit.sha;
  }

  test('the body of a pull closes them when it is merged, in the name of who merged it', async () => {
    const pull = await pullFor((number) => `Adds a file.\n\nFixes #${number}.`);
    await merge(pull);
    const closed = (await owner.get(`/repos/${pull.name}/issues/${pull.issue}`)).body;
    assert.equal(closed.state, 'closed');
    assert.equal(closed.closed_by.login, 'owner');
    const event = await closedEvent(pull.name, pull.issue);
    assert.deepEqual([event.actor.login, event.commit_id], ['owner', null]);
    assert.equal((await owner.get(`/repos/${pull.name}`)).body.open_issues_count, 0);
    const activities = (await owner.get(`/repos/${pull.name}/events`)).body;
    const closings = activities.filter(
      (entry: { type: string; payload: { action: string } }) =>
        entry.type === 'IssuesEvent' && entry.payload.action === 'closed',
    );
    assert.equal(closings.length, 1);
  });

  test('a pull that is closed without a merge, or merged into another branch, closes none', async () => {
    const closed = await pullFor((number) => `Fixes #${number}`);
    await owner.patch(closed.path, { state: 'closed' });
    assert.equal(await stateOf(closed.name, closed.issue), 'open');

    const aside = await pullFor((number) => `Fixes #${number}`);
    const { body: main } = await owner.get(`/repos/${aside.name}/git/ref/heads/main`);
    const ref = { ref: 'refs/heads/next', sha: main.object.sha };
    assert.equal((await owner.post(`/repos/${aside.name}/git/refs`, ref)).status, 201);
    assert.equal((await owner.patch(aside.path, { base: 'next' })).status, 200);
    await untilChecked(forge, owner, aside.path);
    await merge(aside);
    assert.equal(await stateOf(aside.name, aside.issue), 'open');
  });

  test('what is code or a comment in a body closes nothing', async () => {
    const pull = await pullFor((number) => `\`fixes #${number}\` <!-- fixes #${number} -->`);
    await merge(pull);
    assert.equal(await stateOf(pull.name, pull.issue), 'open');
  });

  test('a commit closes them when it comes to the default branch, and is named', async () => {
    const name = await forge.repository(owner, { init: true });
    const [first, second, third] = [await issue(name), await issue(name), await issue(name)];
    const sha = await writeFile(name, `Write a file\n\nCloses: #${first}`);
    const event = await closedEvent(name, first);
    assert.equal(event.commit_id, sha);
    assert.ok(event.commit_url.endsWith(`/repos/${name}/commits/${sha}`));
    // On a branch it waits for its merge.
    const { body: main } = await owner.get(`/repos/${name}/git/ref/heads/main`);
    await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/heads/topic', sha: main.object.sha });
    const put = await owner.put(`/repos/${name}/contents/topic`, {
      message: `resolves #${second}, fixes http://forge.test/${name}/issues/${third}`,
      content: '',
      branch: 'topic',
    });
    assert.equal(await stateOf(name, second), 'open');
    const merged = await owner.post(`/repos/${name}/merges`, { base: 'main', head: 'topic' });
    assert.equal(merged.status, 201, merged.text);
    assert.equal((await closedEvent(name, second)).commit_id, put.body.commit.sha);
    assert.equal(await stateOf(name, third), 'closed');
  });

  test('an issue that was reopened stays open when its commit is there already; pulls stay open', async () => {
    const name = await forge.repository(owner, { init: true });
    const number = await issue(name);
    await writeFile(name, `Fix #${number}`);
    await owner.patch(`/repos/${name}/issues/${number}`, { state: 'open' });
    await writeFile(name, 'Something else');
    assert.equal(await stateOf(name, number), 'open');
    const pull = await openPull(forge, owner);
    await writeFile(pull.name, `Fixes #${pull.number}, fixes #99999, fixes #0`);
    assert.equal((await owner.get(pull.path)).body.state, 'open');
  });

  test('issues of another repository are closed only by users who may write there', async () => {
    const [here, there] = [
      await forge.repository(helper, { init: true }),
      await forge.repository(owner),
    ];
    const number = await issue(there);
    await writeFile(here, `Fixes ${there}#${number}`, helper);
    assert.equal(await stateOf(there, number), 'open', 'helper may not write there');
    const own = await forge.repository(owner, { init: true });
    await writeFile(own, `Fixes ${there.toUpperCase()}#${number}`);
    assert.equal(await stateOf(there, number), 'closed');
    const event = await closedEvent(there, number);
    assert.deepEqual([event.actor.login, event.commit_id], ['owner', null]);
    // The user who merges decides, not the author of the body.
    const pull = await openPull(forge, owner);
    const again = await issue(there);
    await owner.patch(pull.path, { body: `closes ${there}#${again}` });
    const invited = await owner.put(`/repos/${pull.name}/collaborators/helper`, {});
    await helper.patch(`/user/repository_invitations/${invited.body.id}`);
    await untilChecked(forge, owner, pull.path);
    await merge(pull, helper);
    assert.equal(await stateOf(there, again), 'open');
  });

  test('what is done in a public repository reaches no private one, and archived ones rest', async () => {
    const [open, hidden] = [
      await forge.repository(owner, { init: true }),
      await forge.repository(owner, { private: true, init: true }),
    ];
    const [number, other] = [await issue(hidden), await issue(open)];
    const narrow = await forge.withScopes(owner, ['public_repo']);
    await writeFile(open, `Fixes ${hidden}#${number}`, narrow);
    assert.equal(await stateOf(hidden, number), 'open');
    await writeFile(hidden, `Fixes ${open}#${other}, fixes #${number}`);
    assert.equal(await stateOf(open, other), 'closed');
    assert.equal(await stateOf(hidden, number), 'closed');
    assert.doesNotMatch(
      (await owner.get(`/repos/${open}/issues/${other}/events`)).text,
      new RegExp(hidden),
    );
    const old = await forge.repository(owner);
    const rests = await issue(old);
    await owner.patch(`/repos/${old}`, { archived: true });
    await writeFile(open, `Fixes ${old}#${rests}`);
    assert.equal(await stateOf(old, rests), 'open');
  });

  test('a push that takes a head into the default branch closes what the body of its pull says', async () => {
    const pull = await pullFor((number) => `fixes #${number}`);
    const id = await repositoryId(forge, pull.name);
    const [ref, old, next] = [
      parseRefName('refs/heads/main'),
      parseObjectId(pull.base),
      parseObjectId(pull.head),
    ];
    assert.ok(ref && old && next);
    const refs = [{ ref, old, new: next }];
    const actorId = owner.account.id;
    await changeRefs(forge.ports, { repositoryId: id, refs, now: forge.clock.now(), actorId });
    assert.equal((await owner.get(pull.path)).body.merged, true);
    assert.equal((await closedEvent(pull.name, pull.issue)).actor.login, 'owner');
  });

  test('where it is not known who pushed, nothing is closed', async () => {
    const name = await forge.repository(owner);
    const number = await issue(name);
    await commitFiles(forge, name, 'main', { a: 'a' }, { message: `fixes #${number}` });
    assert.equal(await stateOf(name, number), 'open');
  });

  test('what a crash left undone is closed by the next start', async () => {
    const pull = await pullFor((number) => `fixes #${number}`);
    const other = await issue(pull.name);
    const id = await repositoryId(forge, pull.name);
    const git = forge.git.repository(id);
    const head = parseObjectId(pull.head);
    const base = parseObjectId(pull.base);
    const ref = parseRefName('refs/heads/main');
    const tip = head && (await git.readCommit(head));
    assert.ok(tip && base && ref);
    const commit = await git.writeCommit({
      ...tip,
      parents: [base, tip.id],
      message: `Merge, closes #${other}`,
    });
    const now = forge.clock.now();
    const byId = owner.account.id;
    const merged = { pullId: await pullId(pull), repositoryId: id, byId, at: now, commit };
    await forge.database.write((sql) =>
      insertIntent(sql, {
        repositoryId: id,
        refs: [{ ref, old: base, new: commit }],
        merge: { ...merged, headSha: tip.id },
        actorId: byId,
        kind: 'merge',
        now,
      }),
    );
    await git.updateRefs([{ ref, old: base, new: commit }]);
    assert.equal(await stateOf(pull.name, pull.issue), 'open');
    await reconcile(forge.ports);
    assert.equal((await owner.get(pull.path)).body.merged, true);
    assert.equal(await stateOf(pull.name, pull.issue), 'closed');
    assert.equal((await closedEvent(pull.name, other)).commit_id, commit);
  });

  async function pullId(pull: OpenedPull): Promise<number> {
    const repository = await repositoryId(forge, pull.name);
    const row = await forge.database.read((sql) =>
      sql.get<{ id: number }>(
        `select id from issues where repository_id = $1 and number = $2`,
        repository,
        pull.number,
      ),
    );
    assert.ok(row);
    return row.id;
  }

  test('a history that comes with a new default branch closes nothing', async () => {
    const name = await forge.repository(owner);
    const number = await issue(name);
    await writeFile(name, `Fixes #${number}`);
    assert.equal(await stateOf(name, number), 'open');
  });

  test('one push closes a hundred issues and no more', async () => {
    const name = await forge.repository(owner, { init: true });
    const number = await issue(name);
    const many = Array.from({ length: 120 }, (_, index) => `fixes #${1000 + index}`).join('\n');
    await writeFile(name, `${many}\nfixes #${number}`);
    assert.equal(await stateOf(name, number), 'open');
  });

  test('the default branch that goes closes nothing', async () => {
    const name = await forge.repository(owner, { init: true });
    const id = await repositoryId(forge, name);
    const ref = parseRefName('refs/heads/main');
    assert.ok(ref);
    const old = (await forge.git.repository(id).readRef(ref)) ?? noObject;
    const change = {
      repositoryId: id,
      refs: [{ ref, old, new: noObject }],
      now: forge.clock.now(),
    };
    assert.equal((await changeRefs(forge.ports, change)).kind, 'updated');
  });
});
