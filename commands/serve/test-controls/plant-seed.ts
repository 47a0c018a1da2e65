import { scopes as allScopes } from '#forge/model/scopes.ts';
import { writeZip } from '#platform/zip/write-zip.ts';

import { ControlRefusal } from './control-request.ts';
import type { SeedClient } from './seed-client.ts';
import type {
  Seed,
  SeededCommit,
  SeededFunction,
  SeededIssue,
  SeededPull,
  SeededRepository,
} from './seed-input.ts';

/** Makes the users and repositories that a seed names, in its order, so that it has the same ids in every run. */
export async function plantSeed(client: SeedClient, seed: Seed, now: () => number): Promise<void> {
  const administrator = await client.administrator();
  for (const { login, email, token, scopes } of seed.users ?? []) {
    const address = email ?? `${login}@example.test`;
    await client.api(administrator, 'POST', '/admin/users', { login, email: address });
    if (token !== undefined) await client.addToken(login, token, scopes ?? allScopes);
  }
  const owners = new Map<string, string>();
  for (const { login, owner } of seed.organizations ?? []) {
    await client.api(administrator, 'POST', '/admin/organizations', { login, admin: owner });
    owners.set(login.toLowerCase(), owner);
  }
  for (const repository of seed.repositories ?? []) {
    const [account = ''] = repository.name.split('/');
    await new RepositorySeed(client, repository, owners.get(account.toLowerCase()), now).plant();
  }
}

/** Apart from the rest, because functions that were made long ago by the clock would be inactive. */
export async function plantFunctions(client: SeedClient, { functions = [] }: Seed): Promise<void> {
  for (const each of functions) await plantFunction(client, each);
}

class RepositorySeed {
  readonly #client: SeedClient;
  readonly #repository: SeededRepository;
  /** Who owns it, or the organization that does. */
  readonly #owner: string;
  readonly #isOrganizations: boolean;
  readonly #path: string;
  readonly #heads = new Map<string, string>();
  readonly #now: () => number;

  constructor(
    client: SeedClient,
    repository: SeededRepository,
    ownerOfOrganization: string | undefined,
    now: () => number,
  ) {
    const [account = ''] = repository.name.split('/');
    this.#client = client;
    this.#repository = repository;
    this.#owner = ownerOfOrganization ?? account;
    this.#isOrganizations = ownerOfOrganization !== undefined;
    this.#path = `/repos/${repository.name}`;
    this.#now = now;
  }

  async plant(): Promise<void> {
    const { name: fullName, description, private: isPrivate = false } = this.#repository;
    const [account = '', name = ''] = fullName.split('/');
    const path = this.#isOrganizations ? `/orgs/${account}/repos` : '/user/repos';
    await this.#ask('POST', path, {
      name,
      private: isPrivate,
      ...(description === undefined ? {} : { description }),
    });
    for (const login of this.#repository.collaborators ?? []) await this.#invite(login);
    for (const commit of this.#repository.commits ?? []) await this.#commit(commit);
    for (const { branch, ...status } of this.#repository.statuses ?? []) {
      await this.#ask('POST', `${this.#path}/statuses/${this.#head(branch)}`, status);
    }
    for (const issue of this.#repository.issues ?? []) await this.#raise(issue);
    for (const pull of this.#repository.pulls ?? []) await this.#open(pull);
  }

  #ask(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: object): Promise<unknown> {
    return this.#client.api(this.#owner, method, path, body);
  }

  async #invite(login: string): Promise<void> {
    const permission = { permission: 'push' };
    const invited = await this.#ask('PUT', `${this.#path}/collaborators/${login}`, permission);
    // A member of the organization needs no invitation.
    if (invited === undefined) return;
    const id = numberOf(invited, 'id');
    await this.#client.api(login, 'PATCH', `/user/repository_invitations/${id}`);
  }

  async #commit({ branch = 'main', from, message, author, files }: SeededCommit): Promise<void> {
    const parent = this.#heads.get(branch) ?? (from === undefined ? undefined : this.#head(from));
    const login = author ?? this.#owner;
    const base = parent === undefined ? {} : { base_tree: parent };
    const tree = Object.entries(files).map(([path, content]) => ({
      path,
      mode: '100644',
      type: 'blob',
      ...(content === null ? { sha: null } : { content }),
    }));
    const made = await this.#ask('POST', `${this.#path}/git/trees`, { ...base, tree });
    const date = new Date(this.#now()).toISOString();
    const person = { name: login, email: `${login}@example.test`, date };
    const commit = await this.#ask('POST', `${this.#path}/git/commits`, {
      message: message ?? `Change ${Object.keys(files).join(', ')}`,
      tree: textOf(made, 'sha'),
      parents: parent === undefined ? [] : [parent],
      author: person,
      committer: person,
    });
    const sha = textOf(commit, 'sha');
    if (this.#heads.has(branch)) {
      await this.#ask('PATCH', `${this.#path}/git/refs/heads/${branch}`, { sha });
    } else {
      await this.#ask('POST', `${this.#path}/git/refs`, { ref: `refs/heads/${branch}`, sha });
    }
    this.#heads.set(branch, sha);
  }

  async #raise({ author = this.#owner, state, ...issue }: SeededIssue): Promise<void> {
    const raised = await this.#client.api(author, 'POST', `${this.#path}/issues`, issue);
    if (state === 'closed') {
      const path = `${this.#path}/issues/${numberOf(raised, 'number')}`;
      await this.#ask('PATCH', path, { state });
    }
  }

  async #open(pull: SeededPull): Promise<void> {
    const { head, base = 'main', author = this.#owner, title, body, draft, state } = pull;
    const opened = await this.#client.api(author, 'POST', `${this.#path}/pulls`, {
      head,
      base,
      title: title ?? head,
      ...(body === undefined ? {} : { body }),
      ...(draft === undefined ? {} : { draft }),
    });
    const path = `${this.#path}/pulls/${numberOf(opened, 'number')}`;
    if (state === 'merged') {
      await this.#ask('PUT', `${path}/merge`, {});
      const ref = await this.#ask('GET', `${this.#path}/git/ref/heads/${base}`);
      this.#heads.set(base, textOf(fieldOf(ref, 'object'), 'sha'));
    }
    if (state === 'closed') await this.#ask('PATCH', path, { state: 'closed' });
  }

  #head(branch: string): string {
    const sha = this.#heads.get(branch);
    if (sha !== undefined) return sha;
    const { name } = this.#repository;
    throw new ControlRefusal(422, `Seeding stopped: ${name} has no branch ${branch} yet.`);
  }
}

const runtime = 'nodejs24.x';
const handler = 'index.handler';
const role = 'arn:aws:iam::123456789012:role/seed';

async function plantFunction(client: SeedClient, given: SeededFunction): Promise<void> {
  const files = Object.entries(given.files).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const archive = writeZip(
    files.map(([path, text]) => ({ path, kind: 'file' as const, content: Buffer.from(text) })),
  );
  const zip = Buffer.concat(await Array.fromAsync(archive));
  await client.functions('POST', '/2015-03-31/functions', {
    FunctionName: given.name,
    Runtime: given.runtime ?? runtime,
    Handler: given.handler ?? handler,
    Role: given.role ?? role,
    Code: { ZipFile: zip.toString('base64') },
    ...(given.environment === undefined ? {} : { Environment: { Variables: given.environment } }),
  });
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function textOf(value: unknown, name: string): string {
  const field = fieldOf(value, name);
  if (typeof field !== 'string') throw new Error(`A response has no ${name}.`);
  return field;
}

function numberOf(value: unknown, name: string): number {
  const field = fieldOf(value, name);
  if (typeof field !== 'number') throw new Error(`A response has no ${name}.`);
  return field;
}
