import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { present } from '#platform/present.ts';

import { insertAccount } from '../accounts/account-store.ts';
import { putCollaborator } from '../repositories/collaborator-store.ts';
import type { Endpoint } from '../routing/endpoint.ts';
import { writeRepository, writeAccounts } from '../events/invalidate.ts';
import { endpoints } from '../routes.ts';
import { accountTable, gitTable, pagesRow } from '../testing/access-elsewhere.ts';
import {
  type AccessRow,
  expectedResponse,
  type MatrixCaller,
  type MatrixRepository,
} from '../testing/access-row.ts';
import { accessTable } from '../testing/access-table.ts';
import { pathIn, furnish, type FurnishedRepository } from '../testing/furnished-repository.ts';
import {
  startTestForge,
  type TestClient,
  type TestForge,
  type TestUser,
} from '../testing/test-forge.ts';
import { createApplication } from './create-application.ts';
import type { GrantedPermission } from '../model/permission.ts';
import type { Scope } from '../model/scopes.ts';

interface CallerCase {
  readonly name: string;
  readonly caller: MatrixCaller;
  readonly client: TestClient;
  readonly authorization?: string;
  /** Asks where most others would be answered the same, too. */
  readonly everywhere?: true;
}

interface MatrixTarget extends MatrixRepository {
  readonly name: string;
  readonly repository: FurnishedRepository;
}

/** No parser takes it, and it is read only after access is decided: a caller who has access changes nothing. */
const unreadable = '{';

/** The resource is absent, or found by a parameter: being let in shows as 404, too. */
const absentInside: ReadonlySet<string> = new Set([
  'GET /pulls/:pull_number/merge',
  'GET /hooks/:hook_id/deliveries/:delivery_id',
  'GET /collaborators/:username',
  'GET /subscription',
]);

describe('who may do what', () => {
  let forge: TestForge;
  let owner: TestUser;
  let targets: readonly MatrixTarget[];
  let asking: readonly CallerCase[];

  before(async () => {
    forge = await startTestForge({ previews: 'lenient' });
    owner = await forge.user('own');
    await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' });
    targets = await createTargets(forge, owner);
    asking = await gather(forge, owner, targets);
  });
  after(() => forge.close());

  test('every operation in a repository is in the table, once', () => {
    const sent = accessTable.flatMap((row) => row.operations).toSorted();
    assert.deepEqual(sent, repositoryEndpoints().map(nameOf).toSorted());
  });

  for (const row of accessTable) {
    const about = `${row.permission}, token ${row.token}: ${row.operations.length} like ${row.operations[0]}`;
    test(about, async () => {
      const rowEndpoints = repositoryEndpoints().filter((each) =>
        row.operations.includes(nameOf(each)),
      );
      for (const endpoint of rowEndpoints) {
        const { method, takesUpload } = endpoint.declaration;
        // No body is malformed where any is a file; its name is missing.
        const malformed = takesUpload === true ? 422 : 400;
        await holds(nameOf(endpoint), row, async (target, callerCase) => {
          const path = pathIn(target.repository, endpoint.declaration);
          const status = await knock(callerCase, method, path, unreadable);
          if (method === 'GET') return inIfGood(status);
          return status === malformed ? 'in' : status;
        });
      }
    });
  }

  for (const row of gitTable) {
    test(`git, ${row.permission}`, async () => {
      for (const operation of row.operations) {
        const [method = '', path = ''] = operation.split(' ');
        await holds(operation, row, async (target, callerCase) => {
          const gitPath = `/${target.repository.fullName}.git${path}`;
          const status = await knock(callerCase, method, gitPath, '0000', gitType(path));
          // git's clients send credentials only when they are asked for them.
          const { kind } = callerCase.caller;
          return status === 401 && kind === 'anonymous'
            ? refusedTo(row, callerCase, target)
            : inIfGood(status);
        });
      }
    });
  }

  test('pages of a repository', async () => {
    for (const operation of pagesRow.operations) {
      const [method = '', path = ''] = operation.split(' ');
      const ask = async (
        { repository }: MatrixTarget,
        callerCase: CallerCase,
      ): Promise<number | 'in'> =>
        inIfGood(await knock(callerCase, method, `/${repository.fullName}${path}`, ''));
      // All pages of a repository share one access check.
      await holds(operation, pagesRow, ask, path !== '');
    }
  });

  for (const row of accountTable) {
    test(`outside of repositories, ${String(row.scopes)}: ${row.operations[0]}`, async () => {
      const narrow = await forge.withScopes(owner, ['gist']);
      for (const endpoint of endpoints.filter((each) => row.operations.includes(wholeName(each)))) {
        forge.clock.advance(15 * 60_000);
        const { method } = endpoint.declaration;
        const path = pathIn(targets[0]?.repository ?? assert.fail(), endpoint.declaration);
        const ask = (client: TestClient, authorization?: string): Promise<number> =>
          knock({ client, authorization }, method, path, unreadable);
        const about = wholeName(endpoint);
        assert.equal(await ask(forge.anonymous, 'token bad'), 401, about);
        const anonymousStatus = await ask(forge.anonymous);
        const denied = await ask(narrow);
        if (row.scopes === 'open')
          // Searches have no query here.
          assert.ok(method !== 'GET' || anonymousStatus < 400 || anonymousStatus === 422, about);
        else assert.equal(anonymousStatus, 401, about);
        if (Array.isArray(row.scopes) && row.scopes.length > 0) assert.equal(denied, 404, about);
      }
    });
  }

  test('every operation outside of repositories is in the table, once', () => {
    const sent = accountTable.flatMap((row) => row.operations).toSorted();
    const rest = endpoints.filter(({ access }) => access.kind !== 'repository');
    assert.deepEqual(sent, rest.map(wholeName).toSorted());
  });

  /** Sends one request to every repository as every caller, and compares the responses to the table. */
  async function holds(
    operation: string,
    row: AccessRow,
    ask: (target: MatrixTarget, callerCase: CallerCase) => Promise<number | 'in'>,
    few = false,
  ): Promise<void> {
    // So that wrong tokens do not lock the address out.
    forge.clock.advance(15 * 60_000);
    const wrong: string[] = [];
    for (const target of targets) {
      // What all may read, and what an archive refuses, does not depend on scopes.
      const open = !target.private && row.token === 'where private';
      const brief = few || target.archived || open;
      for (const callerCase of brief ? asking.filter(({ everywhere }) => everywhere) : asking) {
        const expected = expectedResponse(row, callerCase.caller, target);
        const got = await ask(target, callerCase);
        if (expected === 'in' && got === 404 && absentInside.has(operation)) continue;
        if (got !== expected)
          wrong.push(`${target.name}, ${callerCase.name}: ${got}, not ${expected}`);
      }
    }
    assert.deepEqual(wrong, [], operation);
  }
});

async function knock(
  {
    client,
    authorization,
  }: Pick<CallerCase, 'client'> & { readonly authorization?: string | undefined },
  method: string,
  path: string,
  body: string,
  contentType?: string,
): Promise<number> {
  const response = await client.send(method, path, {
    headers: {
      ...present({ authorization, 'content-type': contentType }),
    },
    ...(method === 'GET' ? {} : { body }),
  });
  return response.status;
}

function inIfGood(status: number): number | 'in' {
  return status < 400 ? 'in' : status;
}

function refusedTo(row: AccessRow, { caller }: CallerCase, target: MatrixTarget): number | 'in' {
  const expected = expectedResponse(row, caller, target);
  return expected === 'in' ? 401 : expected;
}

function gitType(path: string): string {
  return `application/x-${path.slice(1)}-request`;
}

function wholeName({ declaration: { method, path } }: Endpoint): string {
  return `${method} ${path}`;
}

function repositoryEndpoints(): Endpoint[] {
  return endpoints.filter(({ access }) => access.kind === 'repository');
}

function nameOf({ declaration: { method, path } }: Endpoint): string {
  return `${method} ${path.slice('/repos/:owner/:repo'.length) || '/'}`;
}

async function createTargets(forge: TestForge, owner: TestUser): Promise<MatrixTarget[]> {
  const open = await furnish(forge, owner, { name: 'open' });
  const hidden = await furnish(forge, owner, { name: 'hidden', private: true });
  const archived = await furnish(forge, owner, { name: 'old' });
  for (const { fullName } of [open, hidden, archived]) {
    await owner.put(`/orgs/acme/teams/crew/repos/${fullName}`, { permission: 'push' });
  }
  const done = await owner.patch('/repos/acme/old', { archived: true });
  assert.equal(done.status, 200, done.text);
  return [
    { name: 'public', private: false, archived: false, repository: open },
    { name: 'private', private: true, archived: false, repository: hidden },
    { name: 'archived', private: false, archived: true, repository: archived },
  ];
}

const collaborators = ['read', 'triage', 'write', 'maintain', 'admin'] as const;

/** Scopes that open something, and some that open nothing here, on the token of an administrator. */
const scopeSets: readonly (readonly Scope[])[] = [
  [],
  ['public_repo'],
  ['repo:status'],
  ['repo:invite'],
  ['delete_repo'],
  ['notifications'],
  ['admin:repo_hook'],
  ['write:repo_hook'],
  ['read:repo_hook'],
  ['user', 'admin:org', 'gist', 'workflow'],
];

async function gather(
  forge: TestForge,
  owner: TestUser,
  targets: readonly MatrixTarget[],
): Promise<CallerCase[]> {
  const as = (
    name: string,
    client: TestClient,
    permission: GrantedPermission | 'none',
    scopes: readonly Scope[],
  ): CallerCase => ({
    name,
    client,
    caller: { kind: 'user', permission, scopes: new Set(scopes) },
  });
  const outsider = await forge.user('stranger', { scopes: ['repo'] });
  const member = await forge.user('member', { scopes: ['repo'] });
  await owner.put('/orgs/acme/memberships/member');
  const crew = await forge.user('mate', { scopes: ['repo'] });
  await owner.put('/orgs/acme/teams/crew/memberships/mate');
  const asking: CallerCase[] = [
    { name: 'nobody', client: forge.anonymous, caller: { kind: 'anonymous' }, everywhere: true },
    {
      name: 'a token that nobody has',
      client: forge.anonymous,
      caller: { kind: 'bad' },
      authorization: `token ${'0'.repeat(40)}`,
    },
    await application(forge),
    { ...as('a stranger', outsider, 'none', ['repo']), everywhere: true },
    as('a member of the organization', member, 'read', ['repo']),
    as('a member of a team that may push', crew, 'write', ['repo']),
    as('an owner of the organization', await forge.withScopes(owner, ['repo']), 'admin', ['repo']),
  ];
  for (const permission of collaborators) {
    const user = await forge.user(`c-${permission}`, { scopes: ['repo'] });
    await collaborate(forge, targets, user.account.id, permission);
    asking.push({
      ...as(`a collaborator with ${permission}`, user, permission, ['repo']),
      everywhere: true,
    });
    if (permission === 'admin') {
      for (const scopes of scopeSets) {
        const narrow = await forge.withScopes(user, scopes);
        const name = `an administrator with ${scopes.join() || 'no scope'}`;
        const callerCase = as(name, narrow, permission, scopes);
        asking.push(scopes.length === 0 ? { ...callerCase, everywhere: true } : callerCase);
      }
      asking.push(await withPassword(forge, targets));
    }
  }
  return asking;
}

async function collaborate(
  forge: TestForge,
  targets: readonly MatrixTarget[],
  accountId: number,
  permission: GrantedPermission,
): Promise<void> {
  const now = forge.clock.now();
  for (const { repository } of targets) {
    const entry = { repositoryId: repository.id, accountId, permission, now };
    await writeRepository(forge.database, repository.id, (sql) => putCollaborator(sql, entry));
  }
}

/** An application sees what anybody sees. */
async function application(forge: TestForge): Promise<CallerCase> {
  const { clientId, clientSecret } = await createApplication(forge.ports, { name: 'Ci' });
  return {
    name: 'an application',
    client: forge.anonymous,
    caller: { kind: 'application' },
    authorization: basic(clientId, clientSecret),
  };
}

/** A password is narrowed by no scope. */
async function withPassword(
  forge: TestForge,
  targets: readonly MatrixTarget[],
): Promise<CallerCase> {
  const account = await writeAccounts(forge.database, (sql) =>
    insertAccount(sql, {
      kind: 'user',
      login: 'typist',
      passwordHash: 'plain:secret words',
      now: forge.clock.now(),
    }),
  );
  await collaborate(forge, targets, account.id, 'admin');
  return {
    name: 'an administrator with a password',
    client: forge.anonymous,
    caller: { kind: 'user', permission: 'admin', scopes: 'password' },
    authorization: basic('typist', 'secret words'),
  };
}

function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}
