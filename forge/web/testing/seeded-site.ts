import { createUser } from '../../accounts/create-user.ts';
import { beginImport, endImport } from '../../imports/import-store.ts';
import { createLog } from '#platform/log.ts';
import { describeRepositories } from '../../repositories/describe-code.ts';
import { createDeliverer } from '../../webhooks/delivery-worker.ts';
import { commitFiles, repositoryId } from '../../testing/commits.ts';
import { startReceiver } from '../../testing/receiver-fixture.ts';
import { createTestBrowser } from '../../testing/test-browser.ts';
import type { TestForge, TestResponse, TestUser } from '../../testing/test-forge.ts';

/** A server whose pages have something of everything, long words and hostile texts included. */
export interface SeededSite {
  readonly login: string;
  /** `hob_session=…` of a signed-in site administrator. */
  readonly sessionCookie: { readonly name: string; readonly value: string };
  /** `owner/name`. */
  readonly repository: string;
  readonly commit: string;
  readonly parent: string;
  /** A commit that changes some lines of a long file. */
  readonly edit: string;
  /** A branch that is ahead of main. */
  readonly branch: string;
  /** A webhook with a delivery that failed. */
  readonly webhook: number;
  readonly delivery: number;
}

const long = 'a-name-that-has-no-place-to-break-'.repeat(4).slice(0, -1);
const hostile = `<script>alert(1)</script>"'&${'x'.repeat(90)}`;

/** Every text has what has broken layouts: long words, wide tables, wide code, nested lists. */
const markdown = `# Tools

Text with a [link](docs/guide.md), \`code\` and ${long}.

| name | value | another | one more | and the last of all of them |
| :--- | ----: | :-----: | -------- | --------------------------- |
| ${long} | 1 | 2 | 3 | ${long} |

\`\`\`js
const line = '${'wide '.repeat(60)}';
\`\`\`

1. one
   - two
     - three

> A quotation.
`;
const readme = `${markdown}\n![A picture](picture.png)\n`;

export async function seedSite(forge: TestForge): Promise<SeededSite> {
  const owner = await forge.user('ada', { siteAdmin: true });
  await setPassword(forge, owner, 'p w');
  const reviewer = await forge.user('grace');
  await createUser(forge.ports, { login: 'linus', password: 'p w' });
  await forge.organization(owner, 'acme');
  await must(owner.post('/orgs/acme/teams', { name: 'Crew', privacy: 'closed' }));
  await must(owner.put('/orgs/acme/teams/crew/memberships/grace'));
  await must(owner.patch('/orgs/acme', { description: hostile, name: 'Acme' }));
  const repository = await forge.repository(owner, { name: 'tools' });
  await forge.repository(owner, { name: 'empty' });
  await forge.repository(owner, { name: 'settled', private: true, init: true });
  await seedImport(forge, owner);
  await must(owner.patch('/repos/ada/settled', { description: hostile, archived: true }));
  await must(
    owner.patch(`/repos/${repository}`, {
      description: 'Tools of all kinds',
      homepage: 'https://tools.example.test/',
    }),
  );
  await must(owner.put(`/repos/${repository}/topics`, { names: ['git', 'forge'] }));
  const parent = await commitFiles(forge, repository, 'main', {
    'README.md': readme,
    'docs/guide.md': '## Guide\n',
    [`src/${long}.ts`]: 'export const one = 1;\n',
    'src/main.ts': `// ${'wide '.repeat(60)}\nexport function main(): void {\n\tconsole.log('<b>');\n}\n`,
    'picture.png': Buffer.from(png, 'base64'),
    'binary.bin': Buffer.from([0, 1, 2, 3]),
    'values.csv': `name,value\n"${long}, ""quoted""",1\n,2,3\n`,
  });
  const changed = { 'src/main.ts': 'export function main(): void {}\n', 'new.md': '# New\n' };
  const commit = await commitFiles(forge, repository, 'main', changed, {
    message: `Shorten ${long}\n\nBecause of ${hostile}.`,
  });
  await commitFiles(forge, repository, long, { 'new.md': '# Newer\n' }, { parents: [commit] });
  const edit = await seedEdit(forge, repository, commit);
  await commitFiles(
    forge,
    repository,
    'clash',
    { 'src/main.ts': 'clash\n' },
    { parents: [parent] },
  );
  await seedIssues(owner, repository);
  await seedPulls(owner, reviewer, repository, commit);
  const delivered = await seedDelivery(forge, owner, repository);
  await must(
    owner.post(`/repos/${repository}/git/refs`, { ref: `refs/tags/${long}`, sha: commit }),
  );
  await must(reviewer.post(`/repos/${repository}/forks`));
  await must(owner.put(`/user/starred/${repository}`));
  const asked = { ref: 'main', environment: 'staging', required_contexts: [] };
  const deployment = await must(owner.post(`/repos/${repository}/deployments`, asked));
  await must(
    owner.post(`/repos/${repository}/deployments/${deployment.body.id}/statuses`, {
      state: 'success',
      environment_url: 'https://staging.example.test/',
    }),
  );
  await must(reviewer.put('/user/following/ada'));
  await must(owner.put('/user/following/linus'));
  const release = { tag_name: 'v1', name: hostile, body: markdown };
  await must(owner.post(`/repos/${repository}/releases`, release));
  await describeRepositories(forge.ports, createLog('silent'));
  const browser = createTestBrowser(forge);
  await browser.signIn('ada', 'p w');
  const value = browser.cookies.get('hob_session') ?? '';
  const sessionCookie = { name: 'hob_session', value };
  return {
    login: 'ada',
    sessionCookie,
    repository,
    commit,
    parent,
    edit,
    branch: long,
    ...delivered,
  };
}

async function seedEdit(forge: TestForge, repository: string, parent: string): Promise<string> {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index} ${'wide '.repeat(index)}`);
  const list = (changed: readonly string[]) => ({ 'list.txt': changed.join('\n') });
  const created = await commitFiles(forge, repository, 'edit', list(lines), { parents: [parent] });
  const changed = lines.map((line, index) => (index % 40 === 34 ? `${line}!` : line));
  return commitFiles(forge, repository, 'edit', list(changed), { parents: [created] });
}

async function seedIssues(owner: TestUser, repository: string): Promise<void> {
  const at = `/repos/${repository}`;
  await must(owner.post(`${at}/labels`, { name: long.slice(0, 50), color: '0e8a16' }));
  await must(owner.post(`${at}/milestones`, { title: 'Launch', description: markdown }));
  const body = {
    title: hostile,
    body: markdown,
    labels: ['bug', long.slice(0, 50)],
    assignees: ['ada'],
    milestone: 1,
  };
  await must(owner.post(`${at}/issues`, body));
  await must(owner.post(`${at}/issues/1/comments`, { body: markdown }));
  await must(owner.post(`${at}/issues`, { title: 'Done' }));
  await must(owner.patch(`${at}/issues/2`, { state: 'closed' }));
}

/** Pull 3 can be merged, 4 conflicts. */
async function seedPulls(
  owner: TestUser,
  reviewer: TestUser,
  repository: string,
  commit: string,
): Promise<void> {
  const at = `/repos/${repository}`;
  const { body } = await must(owner.put(`${at}/collaborators/grace`));
  await must(reviewer.patch(`/user/repository_invitations/${body.id}`));
  await must(owner.put(`${at}/collaborators/linus`, { permission: 'pull' }));
  const opened = await must(
    owner.post(`${at}/pulls`, { title: hostile, head: long, base: 'main', body: markdown }),
  );
  const { sha } = opened.body.head;
  await must(owner.post(`${at}/statuses/${sha}`, { state: 'failure', context: long }));
  await must(owner.post(`${at}/statuses/${sha}`, { state: 'success', context: 'lint' }));
  const line = { body: markdown, commit_id: sha, path: 'new.md', line: 1 };
  await must(reviewer.post(`${at}/pulls/3/comments`, line));
  const suggestion = `\`\`\`suggestion\n# ${long} ${hostile}\n\`\`\``;
  await must(reviewer.post(`${at}/pulls/3/comments`, { ...line, body: suggestion }));
  await must(reviewer.post(`${at}/pulls/3/reviews`, { event: 'APPROVE', body: 'Good.' }));
  await must(owner.post(`${at}/pulls/3/requested_reviewers`, { reviewers: ['grace'] }));
  await must(owner.post(`${at}/pulls`, { title: 'Clash', head: 'clash', base: 'main' }));
  await must(owner.post(`${at}/statuses/${commit}`, { state: 'success', context: 'ci' }));
  await must(owner.put(`${at}/branches/main/protection`, protection));
}

async function seedDelivery(
  { ports }: TestForge,
  owner: TestUser,
  repository: string,
): Promise<Pick<SeededSite, 'webhook' | 'delivery'>> {
  const receiver = await startReceiver();
  const deliverer = createDeliverer(ports, (error) => {
    throw error;
  });
  try {
    receiver.response = { status: 500 };
    const config = { url: receiver.url };
    const { body } = await must(owner.post(`/repos/${repository}/hooks`, { config }));
    await deliverer.deliverDue();
    const deliveries = await must(owner.get(`/repos/${repository}/hooks/${body.id}/deliveries`));
    return { webhook: body.id, delivery: deliveries.body[0].id };
  } finally {
    await deliverer.close();
    await receiver.close();
  }
}

async function setPassword(forge: TestForge, user: TestUser, password: string): Promise<void> {
  const hash = await forge.ports.passwords.hash(password);
  await forge.database.write((sql) =>
    sql.run('update accounts set password_hash = $1 where id = $2', hash, user.account.id),
  );
}

async function must(response: Promise<TestResponse>): Promise<TestResponse> {
  const answer = await response;
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}

const protection = {
  required_status_checks: { strict: true, contexts: ['ci'] },
  enforce_admins: false,
  required_pull_request_reviews: { required_approving_review_count: 1 },
  restrictions: null,
};

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** One that failed. */
async function seedImport(forge: TestForge, owner: TestUser): Promise<void> {
  const name = await forge.repository(owner, { name: 'imported', private: true });
  const begun = {
    repositoryId: await repositoryId(forge, name),
    accountId: owner.account.id,
    url: `https://git.example.test/${long}`,
  };
  const now = forge.clock.now();
  const end = { state: 'failed', message: hostile, receivedBytes: 1234 } as const;
  await forge.database.write(async (sql) => {
    await beginImport(sql, begun, { now, heardSince: 0 });
    await endImport(sql, begun.repositoryId, end, now);
  });
}
