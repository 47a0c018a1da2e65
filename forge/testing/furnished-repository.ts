import assert from 'node:assert/strict';

import { createApp } from '../auth/apps/create-app.ts';
import { appBySlug } from '../auth/apps/app-store.ts';
import { installApp } from '../auth/apps/install-app.ts';
import { readManifest } from '../auth/apps/manifest-input.ts';
import { findAccount } from '../accounts/account-store.ts';
import { readCheckRunInput } from '../checks/check-input.ts';
import { createCheckRun } from '../checks/write-check-run.ts';
import { insertFollow } from '../follows/follow-store.ts';
import { expectObjectId } from '../git/names.ts';
import type { Installation } from '../model/app.ts';
import { addSshKey } from '../ssh-keys/add-ssh-key.ts';
import type { Declaration } from '../routing/endpoint.ts';
import { commitFiles, repositoryId } from './commits.ts';
import { makeSshKey } from './ssh-keys.ts';
import type { TestForge, TestUser } from './test-forge.ts';

/** A repository that has something of everything, so that every path below it can lead somewhere. */
export interface FurnishedRepository {
  readonly id: number;
  readonly fullName: string;
  /** A value that leads somewhere, for the parameter of a path; undefined for one that it does not know. */
  parameter(path: string, name: string): string | undefined;
}

/** The parameters of a path: `:name`, and `*` for the rest. */
export const pathParameter: RegExp = /:(\w+)|\*/g;

/** Fills in what an organization `acme` with the team `crew` and a repository need; the owner owns both. */
export async function furnish(
  forge: TestForge,
  owner: TestUser,
  options: { readonly name: string; readonly private?: boolean },
): Promise<FurnishedRepository> {
  const { name } = options;
  const full = `acme/${name}`;
  const at = `/repos/${full}`;
  await must(owner.post('/orgs/acme/repos', { name, private: options.private ?? false }));
  const base = await commitFiles(forge, full, 'main', {
    'README.md': '# Hello\n',
    'a.txt': 'a\n',
    LICENSE: 'Ask.\n',
  });
  const head = await commitFiles(forge, full, 'topic', { 'a.txt': 'b\n' }, { parents: [base] });
  await commitFiles(forge, full, 'side', { 'c.txt': 'c\n' }, { parents: [base] });
  const pull = await must(owner.post(`${at}/pulls`, { title: 'A', head: 'topic', base: 'main' }));
  const issue = await must(owner.post(`${at}/issues`, { title: 'B', labels: ['bug'] }));
  const comment = await must(owner.post(`${at}/issues/${issue.number}/comments`, { body: 'C' }));
  const review = await must(
    owner.post(`${at}/pulls/${pull.number}/reviews`, { body: 'D', event: 'COMMENT' }),
  );
  const line = await must(
    owner.post(`${at}/pulls/${pull.number}/comments`, {
      body: 'E',
      commit_id: head,
      path: 'a.txt',
      line: 1,
    }),
  );
  const milestone = await must(owner.post(`${at}/milestones`, { title: 'F' }));
  const hook = await must(
    owner.post(`${at}/hooks`, { config: { url: 'https://example.test/hook' } }),
  );
  const invitation = await must(owner.put(`${at}/collaborators/guest`, {}));
  await must(owner.post(`${at}/statuses/${head}`, { state: 'success' }));
  const tag = await must(
    owner.post(`${at}/git/tags`, { tag: 'v1', message: 'G', object: base, type: 'commit' }),
  );
  await must(owner.put(`${at}/branches/side/protection`, protection));
  const release = await must(owner.post(`${at}/releases`, { tag_name: 'v0', draft: false }));
  const asset = await must(
    owner.post(`${at}/releases/${release.id}/assets?name=x.txt`, Buffer.from('bytes')),
  );
  await forge.database.write(async (sql) => {
    const guest = (await findAccount(sql, 'guest')) ?? assert.fail('there is no guest');
    await insertFollow(sql, guest.id, owner.account.id, forge.clock.now());
  });
  const deployKey = await must(owner.post(`${at}/keys`, { key: makeSshKey().publicKey }));
  const commented = await must(owner.post(`${at}/commits/${base}/comments`, { body: 'H' }));
  const deployment = await must(
    owner.post(`${at}/deployments`, { ref: 'main', environment: 'staging' }),
  );
  const deployed = await must(
    owner.post(`${at}/deployments/${deployment.id}/statuses`, { state: 'success' }),
  );
  const reaction = await must(
    owner.post(`${at}/issues/${issue.number}/reactions`, { content: 'eyes' }),
  );
  const events = await must(owner.get(`${at}/issues/events`));
  const commit = await must(owner.get(`${at}/git/commits/${base}`));
  const tree = await must(owner.get(`${at}/git/trees/${base}`));
  const id = await repositoryId(forge, full);
  const installation = await installFurnishedApp(forge, owner);
  const actorId = owner.account.id;
  const key = await addSshKey(
    forge.ports,
    { accountId: actorId },
    { key: makeSshKey().publicKey },
    { actorId, now: forge.clock.now() },
  );
  const run = await createCheckRun(
    forge.ports,
    {
      appId: installation.appId,
      actorId: owner.account.id,
      repositoryId: id,
      input: readCheckRunInput({ conclusion: 'success' }),
      now: forge.clock.now(),
    },
    { name: 'check', sha: expectObjectId(head), branch: null },
  );
  const values: Readonly<Record<string, string | number>> = {
    owner: 'acme',
    repo: name,
    repository_id: id,
    invitation_id: invitation.id,
    sha: head,
    ref: 'main',
    commit_sha: base,
    file_sha: tree.tree[0].sha,
    tree_sha: commit.tree.sha,
    tag_sha: tag.sha,
    pull_number: pull.number,
    issue_number: issue.number,
    review_id: review.id,
    event_id: events[0].id,
    name: 'bug',
    assignee: owner.login,
    milestone_number: milestone.number,
    username: 'guest',
    target_user: owner.login,
    org: 'acme',
    team_slug: 'crew',
    hook_id: hook.id,
    delivery_id: 1,
    thread_id: 1,
    branch: 'side',
    range: 'main...topic',
    client: '0'.repeat(20),
    code: '0'.repeat(40),
    app_slug: furnishedApp.name,
    installation_id: installation.id,
    check_run_id: run.id,
    check_suite_id: run.suiteId,
    commit_comment_id: commented.id,
    license: 'mit',
    deployment_id: deployment.id,
    status_id: deployed.id,
    environment_name: 'staging',
    reaction_id: reaction.id,
    release_id: release.id,
    asset_id: asset.id,
  };
  return {
    id: Number(values['repository_id']),
    fullName: full,
    parameter(path, parameter) {
      if (parameter === '*' && path.includes('/releases/')) return 'v0';
      if (parameter === '*' && path.includes('ball/')) return 'main';
      if (parameter === '*') return path.includes('/git/') ? 'heads/main' : 'a.txt';
      if (parameter === 'comment_id')
        return path.includes('/pulls/') ? `${line.id}` : `${comment.id}`;
      if (parameter === 'name' && path.startsWith('/gitignore/')) return 'Node';
      if (parameter === 'key_id') return `${path.startsWith('/repos/') ? deployKey.id : key.id}`;
      const value = values[parameter];
      return value === undefined ? undefined : String(value);
    },
  };
}

const furnishedApp = {
  name: 'helper',
  url: 'https://app.test/',
  public: true,
  default_permissions: { contents: 'read' },
} as const;

/** Installs the App on the organization, once for all repositories; returns the id of the installation. */
async function installFurnishedApp(forge: TestForge, owner: TestUser): Promise<Installation> {
  const { database, clock } = forge;
  const app =
    (await database.read((sql) => appBySlug(sql, furnishedApp.name))) ??
    (await createApp(forge.ports, owner.account.id, readManifest(JSON.stringify(furnishedApp))))
      .app;
  const now = clock.now();
  return database.write(async (sql) => {
    const acme = (await findAccount(sql, 'acme')) ?? assert.fail('there is no acme');
    return installApp(sql, { app, account: acme, names: 'all', actorId: null, now });
  });
}

/** The path of an endpoint in a furnished repository. */
export function pathIn(
  repository: FurnishedRepository,
  { path, paths }: Pick<Declaration, 'path' | 'paths'>,
): string {
  const form = paths?.[0] ?? path;
  return form.replace(pathParameter, (all, name: string | undefined) => {
    const value = repository.parameter(path, name ?? all);
    assert.ok(value !== undefined, `the furnished repository has no ${all} for ${path}`);
    return value;
  });
}

const protection = {
  required_status_checks: { strict: true, contexts: ['ci'] },
  enforce_admins: false,
  required_pull_request_reviews: { required_approving_review_count: 1 },
  restrictions: { users: [], teams: ['crew'] },
};

// oxlint-disable-next-line typescript/no-explicit-any -- as in test-forge.ts
async function must(response: ReturnType<TestUser['get']>): Promise<any> {
  const { status, body, text } = await response;
  assert.ok(status < 300, `${status} ${text}`);
  return body;
}
