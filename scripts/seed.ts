/** People, repositories with history, pull requests in every state and a function, made through the interfaces themselves. */
import { execFile } from 'node:child_process';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import {
  CreateFunctionCommand,
  CreateFunctionUrlConfigCommand,
  LambdaClient,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';

import { zipOf } from '#functions/code/testing/zip-of.ts';

export interface Seeded {
  readonly url: string;
  readonly login: string;
  readonly password: string;
  readonly token: string;
}

export const accessKey = { accessKeyId: 'AKIADEVELOPMENT', secretAccessKey: 'development/only' };

interface Actor {
  readonly login: string;
  readonly token: string;
}

type Api = (method: string, path: string, body?: unknown) => Promise<ApiResponse>;

interface ApiResponse {
  readonly number: number;
  readonly id: number;
  readonly token: string;
  readonly head: { readonly sha: string };
}

/** Returns false where the data is there already. */
export async function seed(server: Seeded): Promise<boolean> {
  const root = apiOf(server.url, server.token);
  if (await exists(server, '/repos/acme/website')) return false;
  const alice = await createUser(root, 'alice');
  const bob = await createUser(root, 'bob');
  await root('POST', '/admin/organizations', { login: 'acme', admin: 'alice' });
  await seedPulls(server.url, alice, bob);
  await seedInvitation(server.url, alice);
  await seedFunction(server.url);
  return true;
}

async function exists({ url, token }: Seeded, path: string): Promise<boolean> {
  const response = await fetch(`${url}/api/v3${path}`, { headers: headersOf(token) });
  return response.ok;
}

async function createUser(root: Api, login: string): Promise<Actor> {
  await root('POST', '/admin/users', { login, email: `${login}@example.test` });
  const scopes = ['repo', 'user', 'admin:org', 'delete_repo', 'admin:repo_hook', 'notifications'];
  const { token } = await root('POST', `/admin/users/${login}/authorizations`, { scopes });
  process.stdout.write(`  ${login}: token ${token}\n`);
  return { login, token };
}

/** One pull request in each state, with what makes it so. */
async function seedPulls(url: string, alice: Actor, bob: Actor): Promise<void> {
  const api = apiOf(url, alice.token);
  await api('POST', '/orgs/acme/repos', { name: 'website', description: 'The site of Acme' });
  await api('PUT', '/repos/acme/website/collaborators/bob', { permission: 'push' });
  const invited = apiOf(url, bob.token);
  for (const { id } of await listOf(url, bob, '/user/repository_invitations')) {
    await invited('PATCH', `/user/repository_invitations/${id}`);
  }
  await pushHistory(url, alice);
  const repository = '/repos/acme/website';
  await api('POST', `${repository}/labels`, { name: 'content', color: '0e8a16' });
  await api('POST', `${repository}/milestones`, { title: 'Launch' });
  await api('POST', `${repository}/issues`, {
    title: 'The contact page is missing',
    labels: ['bug'],
  });
  const open = (head: string, title: string, more: object = {}): Promise<ApiResponse> =>
    invited('POST', `${repository}/pulls`, { head, title, base: 'main', ...more });

  const ready = await open('contact', 'Add a contact page', { body: 'Fixes #1.' });
  await status(api, ready.head.sha, 'success');
  await api('POST', `${repository}/pulls/${ready.number}/reviews`, {
    event: 'APPROVE',
    body: 'Reads well.',
  });
  const failing = await open('broken', 'Shorten the navigation');
  await status(api, failing.head.sha, 'failure');
  await open('conflicting', 'Rename the site');
  await open('draft', 'Try another layout', { draft: true });
  const merged = await open('imprint', 'Add an imprint');
  await api('PUT', `${repository}/pulls/${merged.number}/merge`, {});
  const closed = await open('rejected', 'Remove the blog');
  await api('PATCH', `${repository}/pulls/${closed.number}`, { state: 'closed' });
  await api('POST', `${repository}/issues/${closed.number}/comments`, { body: 'We keep it.' });
}

async function status(api: Api, sha: string, state: string): Promise<void> {
  await api('POST', `/repos/acme/website/statuses/${sha}`, {
    state,
    context: 'ci/build',
    description: state === 'success' ? 'All 12 tests passed' : '1 of 12 tests failed',
  });
}

async function pushHistory(url: string, { login, token }: Actor): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-seed-'));
  try {
    await git(folder, 'init', '-q', '-b', 'main');
    await commit(folder, 'Begin the site', { 'README.md': '# Website\n\nThe site of Acme.\n' });
    for (let page = 1; page <= 10; page += 1) {
      await commit(folder, `Write page ${page}`, {
        [`pages/${page}.md`]: `# Page ${page}\n\n${'A line of text.\n'.repeat(page)}`,
      });
    }
    await commit(folder, 'Add the navigation', {
      'src/navigation.js': "export const pages = ['home', 'blog', 'about'];\n",
    });
    await branch(folder, 'contact', { 'pages/contact.md': '# Contact\n\nWrite to us.\n' });
    await branch(folder, 'broken', { 'src/navigation.js': "export const pages = ['home'];\n" });
    await branch(folder, 'conflicting', { 'README.md': '# Acme online\n\nThe site of Acme.\n' });
    await branch(folder, 'draft', { 'src/layout.css': 'body { display: grid; }\n' });
    await branch(folder, 'imprint', { 'pages/imprint.md': '# Imprint\n' });
    await branch(folder, 'rejected', { 'pages/1.md': '# Page 1\n' });
    await commit(folder, 'Name the company', { 'README.md': '# Acme\n\nThe site of Acme.\n' });
    const remote = new URL(`${url}/acme/website.git`);
    remote.username = login;
    remote.password = token;
    await git(folder, 'push', '-q', remote.href, '--all');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function branch(folder: string, name: string, files: Record<string, string>): Promise<void> {
  await git(folder, 'switch', '-q', '-c', name, 'main');
  await commit(folder, `Change ${Object.keys(files).join(', ')}`, files);
  await git(folder, 'switch', '-q', 'main');
}

async function commit(
  folder: string,
  message: string,
  files: Record<string, string>,
): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '-q', '-m', message);
}

async function git(folder: string, ...args: readonly string[]): Promise<void> {
  const person = ['-c', 'user.name=Alice', '-c', 'user.email=alice@example.test'];
  await promisify(execFile)('git', [...person, ...args], { cwd: folder });
}

async function seedInvitation(url: string, alice: Actor): Promise<void> {
  const api = apiOf(url, alice.token);
  await api('POST', '/user/repos', { name: 'notes', private: true, auto_init: true });
  await api('PUT', '/repos/alice/notes/collaborators/bob', { permission: 'pull' });
}

async function seedFunction(endpoint: string): Promise<void> {
  const client = new LambdaClient({ endpoint, region: 'us-east-1', credentials: accessKey });
  const FunctionName = 'greet';
  try {
    await client.send(
      new CreateFunctionCommand({
        FunctionName,
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        Role: 'arn:aws:iam::123456789012:role/greeter',
        Environment: { Variables: { GREETING: 'Hello' } },
        Code: {
          ZipFile: zipOf({
            'index.mjs':
              'export const handler = async (event) => `${process.env.GREETING}, ${event.name ?? "world"}`;\n',
          }),
        },
      }),
    );
    await waitUntilFunctionActiveV2({ client, maxWaitTime: 60 }, { FunctionName });
    await client.send(new CreateFunctionUrlConfigCommand({ FunctionName, AuthType: 'AWS_IAM' }));
  } finally {
    client.destroy();
  }
}

export function apiOf(url: string, token: string): Api {
  return async (method, path, body) => {
    const response = await fetch(`${url}/api/v3${path}`, {
      method,
      headers: headersOf(token),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

async function listOf(url: string, { token }: Actor, path: string): Promise<ApiResponse[]> {
  const response = await fetch(`${url}/api/v3${path}`, { headers: headersOf(token) });
  return JSON.parse(await response.text());
}

function headersOf(token: string): Record<string, string> {
  return {
    authorization: `token ${token}`,
    'user-agent': 'hob-dev',
    'x-github-api-version': '2022-11-28',
  };
}
