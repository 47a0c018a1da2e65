import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Octokit as RestOctokit } from '@octokit/rest';
import { App, Octokit } from 'octokit';

import { removeFolder, type RunningServer, startServer } from './running-server.ts';

/** What both packages give: the methods of the interface and the pages of its lists. */
type Client = Pick<Octokit, 'rest' | 'paginate'>;

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** As they are installed: the first one slows itself down and tries again what failed on the way. */
const packages: Readonly<Record<string, (url: string, token: string) => Client>> = {
  octokit: (url, auth) => new Octokit({ baseUrl: `${url}/api/v3`, auth, log: quiet }),
  '@octokit/rest': (url, auth) => new RestOctokit({ baseUrl: `${url}/api/v3`, auth, log: quiet }),
};

describe('clients from npm, as they are, live through', () => {
  let folder: string;
  let server: RunningServer;
  const tokens = new Map<string, string>();

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-npm-clients-'));
    server = await startServer(join(folder, 'data'));
    for (const login of ['ada', 'ben']) {
      await server.admin('create-user', login, '--email', `${login}@example.test`);
      const args = ['create-token', login, '--scopes', 'repo,user', '--json'];
      const created: { token: string } = JSON.parse(await server.admin(...args));
      tokens.set(login, created.token);
    }
  });
  after(async () => {
    assert.equal(await server.stop(), 0, server.output());
    await removeFolder(folder);
  });

  for (const [name, client] of Object.entries(packages)) {
    test(`${name}: invitations, statuses and pulls`, async () => {
      const ada = client(server.url, tokens.get('ada') ?? '');
      const ben = client(server.url, tokens.get('ben') ?? '');
      const target = { owner: 'ada', repo: name.replace('@octokit/', 'by-') };
      const { data: created } = await ada.rest.repos.createForAuthenticatedUser({
        name: target.repo,
        auto_init: true,
      });
      assert.equal(created.owner.login, 'ada');
      await joins(ada, ben, target);
      const sha = await writes(ben, target);
      await judges(ada, ben, target, sha);
      await merges(ada, ben, target, sha);
    });
  }

  test('octokit: a GitHub App whose check run gates a merge', async () => {
    const permissions = 'checks=write,contents=write,pull_requests=write';
    const options = ['--owner', 'ada', '--permissions', permissions, '--json'];
    const created: { id: number; privateKey: string } = JSON.parse(
      await server.admin('create-app', 'Gate keeper', ...options),
    );
    await server.admin('install-app', 'gate-keeper', 'ada');
    // Without the pauses and repetitions, which the clients above have.
    const Client = Octokit.defaults({
      baseUrl: `${server.url}/api/v3`,
      log: quiet,
      retry: { enabled: false },
      throttle: { enabled: false },
    });
    const { id: appId, privateKey } = created;
    const app = new App({ appId, privateKey, log: quiet, Octokit: Client });
    const ada = new Client({ auth: tokens.get('ada') ?? '' });
    await gatesMerge(ada, app, { owner: 'ada', repo: 'gated' }, async () => {
      await server.admin('rotate-service-key');
    });
  });

  test('octokit: refusals are errors with their status and reason, and are not tried again', async () => {
    const ben = packages['octokit']?.(server.url, tokens.get('ben') ?? '') ?? assert.fail();
    const nowhere = { owner: 'ada', repo: 'nowhere' };
    await assert.rejects(ben.rest.repos.get(nowhere), { status: 404 });
    await assert.rejects(ben.rest.repos.createForAuthenticatedUser({ name: '' }), {
      status: 422,
      message: /name/,
    });
  });
});

type Target = { readonly owner: string; readonly repo: string };

/** Invited twice over, since the first invitation is withdrawn; the second is accepted. */
async function joins(ada: Client, ben: Client, target: Target): Promise<void> {
  const who = { ...target, username: 'ben' };
  const { data: first } = await ada.rest.repos.addCollaborator({ ...who, permission: 'pull' });
  const { data: wider } = await ada.rest.repos.updateInvitation({
    ...target,
    invitation_id: first.id,
    permissions: 'write',
  });
  assert.equal(wider.permissions, 'write');
  await ada.rest.repos.deleteInvitation({ ...target, invitation_id: first.id });
  await assert.rejects(
    ben.rest.repos.acceptInvitationForAuthenticatedUser({ invitation_id: first.id }),
    { status: 404 },
  );
  await ada.rest.repos.addCollaborator(who);
  assert.equal((await ada.rest.repos.listInvitations(target)).data.length, 1);
  const mine = await ben.paginate(ben.rest.repos.listInvitationsForAuthenticatedUser, {
    per_page: 1,
  });
  const [invitation] = mine;
  assert.equal(invitation?.repository.full_name, `${target.owner}/${target.repo}`);
  await ben.rest.repos.acceptInvitationForAuthenticatedUser({
    invitation_id: invitation?.id ?? 0,
  });
  assert.equal((await ada.rest.repos.checkCollaborator(who)).status, 204);
}

/** A commit on a branch of its own; gives its id. */
async function writes(ben: Client, target: Target): Promise<string> {
  const { data: main } = await ben.rest.git.getRef({ ...target, ref: 'heads/main' });
  await ben.rest.git.createRef({ ...target, ref: 'refs/heads/topic', sha: main.object.sha });
  const { data } = await ben.rest.repos.createOrUpdateFileContents({
    ...target,
    branch: 'topic',
    path: 'topic.txt',
    message: 'Add topic.txt',
    content: Buffer.from('topic\n').toString('base64'),
  });
  return data.commit.sha ?? assert.fail('the commit has no id');
}

async function judges(ada: Client, ben: Client, target: Target, sha: string): Promise<void> {
  for (const [state, context] of [
    ['pending', 'ci'],
    ['success', 'ci'],
    ['success', 'lint'],
  ] as const) {
    await ben.rest.repos.createCommitStatus({ ...target, sha, state, context });
  }
  const statuses = await ada.paginate(ada.rest.repos.listCommitStatusesForRef, {
    ...target,
    ref: 'topic',
    per_page: 1,
  });
  assert.deepEqual(
    statuses.map((status) => `${status.context} ${status.state}`),
    ['lint success', 'ci success', 'ci pending'],
  );
  const combined = { ...target, ref: sha, per_page: 1 };
  const { data } = await ada.rest.repos.getCombinedStatusForRef(combined);
  assert.deepEqual([data.state, data.total_count, data.statuses.length], ['success', 2, 1]);
}

async function merges(ada: Client, ben: Client, target: Target, sha: string): Promise<void> {
  const opening = { ...target, title: 'Topic', head: 'topic', base: 'main' };
  const { data: opened } = await ben.rest.pulls.create(opening);
  const pull = { ...target, pull_number: opened.number };
  assert.equal(opened.head.sha, sha);
  const listed = await ada.paginate(ada.rest.pulls.list, { ...target, per_page: 1 });
  assert.deepEqual(
    listed.map(({ number }) => number),
    [opened.number],
  );
  const { data: edited } = await ben.rest.pulls.update({ ...pull, title: 'Better' });
  assert.equal(edited.title, 'Better');
  const { data: commits } = await ada.rest.pulls.listCommits(pull);
  assert.deepEqual(
    commits.map((commit) => commit.sha),
    [sha],
  );
  const { data: files } = await ada.rest.pulls.listFiles(pull);
  assert.deepEqual(
    files.map((file) => file.filename),
    ['topic.txt'],
  );
  const asDiff = await ada.rest.pulls.get({ ...pull, mediaType: { format: 'diff' } });
  assert.match(JSON.stringify(asDiff.data), /^"diff --git a\/topic\.txt/);
  await assert.rejects(ada.rest.pulls.checkIfMerged(pull), { status: 404 });
  const { data: merged } = await ada.rest.pulls.merge({ ...pull, merge_method: 'squash', sha });
  assert.equal(merged.merged, true);
  assert.equal((await ada.rest.pulls.checkIfMerged(pull)).status, 204);
  const { data: tip } = await ben.rest.repos.getBranch({ ...target, branch: 'main' });
  assert.equal(tip.commit.sha, merged.sha);
  const { data: events } = await ben.rest.activity.listRepoEvents(target);
  assert.ok(events.some((event) => event.type === 'PullRequestEvent'));
}

/** Tokens that were issued before the service key is replaced go on to work. */
async function gatesMerge(
  ada: Pick<Octokit, 'rest'>,
  app: App,
  target: Target,
  replaceServiceKey: () => Promise<void>,
): Promise<void> {
  await ada.rest.repos.createForAuthenticatedUser({ name: target.repo, auto_init: true });
  await ada.rest.repos.updateBranchProtection({
    ...target,
    branch: 'main',
    required_status_checks: { strict: false, contexts: ['gate'] },
    enforce_admins: true,
    required_pull_request_reviews: null,
    restrictions: null,
  });
  const { data: installation } = await app.octokit.request(
    'GET /repos/{owner}/{repo}/installation',
    target,
  );
  const bot = await app.getInstallationOctokit(installation.id);
  const { data: base } = await ada.rest.git.getRef({ ...target, ref: 'heads/main' });
  const ref = { ...target, ref: 'refs/heads/change', sha: base.object.sha };
  await bot.rest.git.createRef(ref);
  const { data: file } = await bot.rest.repos.createOrUpdateFileContents({
    ...target,
    path: 'change.txt',
    message: 'Change',
    content: Buffer.from('changed').toString('base64'),
    branch: 'change',
  });
  const { data: pull } = await bot.rest.pulls.create({
    ...target,
    title: 'Change',
    head: 'change',
    base: 'main',
  });
  assert.equal(pull.user?.login, 'gate-keeper[bot]');
  const merge = { ...target, pull_number: pull.number };
  await assert.rejects(ada.rest.pulls.merge(merge), { status: 405 });
  await replaceServiceKey();
  const { data: run } = await bot.rest.checks.create({
    ...target,
    name: 'gate',
    head_sha: file.commit.sha ?? '',
    status: 'in_progress',
  });
  await assert.rejects(ada.rest.pulls.merge(merge), { status: 405 });
  await bot.rest.checks.update({ ...target, check_run_id: run.id, conclusion: 'success' });
  assert.equal((await ada.rest.pulls.merge(merge)).data.merged, true);
}
