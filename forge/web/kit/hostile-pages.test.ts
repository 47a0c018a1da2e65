import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import * as fc from 'fast-check';

import { furnish } from '../../testing/furnished-repository.ts';
import { databaseFingerprint } from '../../testing/database-fingerprint.ts';
import {
  hostileAuthorization,
  hostileHeaders,
  hostileQuery,
  hostileSegment,
  nastyText,
} from '../../testing/hostile-values.ts';
import { startTestForge, type TestForge, type TestUser } from '../../testing/test-forge.ts';

const seed = 20_200_102;

/** Inside and outside of repositories; `*` is anything. */
const paths: readonly string[] = [
  '/',
  '/*',
  '/acme/*',
  '/docs/rest/*',
  '/avatars/u/*',
  '/login',
  '/sessions/two-factor',
  '/login/oauth/authorize',
  '/login/device',
  '/settings/tokens',
  '/settings/tokens/created',
  '/settings/applications',
  '/search?q=*',
  '/search?type=issues&q=*',
  '/search?type=*&q=a',
  '/settings/emails',
  '/settings/keys',
  '/*.keys',
  '/*.atom',
  '/acme/room/commits/*.atom',
  '/acme/room/tags.atom',
  '/settings/apps/new',
  '/settings/installations',
  '/organizations/*/settings/apps/new',
  '/apps/*',
  '/apps/helper/installations/new',
  '/-/home',
  '/-/explore',
  '/-/import',
  '/acme/room',
  '/acme/room/tree/*',
  '/acme/room/blob/*',
  '/acme/room/blob/main/*',
  '/acme/room/raw/*',
  '/acme/room/raw/main/*',
  '/acme/room/commits/*',
  '/acme/room/commit/*',
  '/acme/room/compare',
  '/acme/room/compare?base=*&head=*',
  '/acme/room/compare/*',
  '/-/new',
  '/acme/room/branches',
  '/acme/room/tags',
  '/acme/room/forks',
  '/-/admin/users?q=*',
  '/-/admin/users/*',
  '/-/admin/tokens?q=*',
  '/-/admin/keys?q=*',
  '/-/admin/organizations?q=*',
  '/settings/profile',
  '/-/orgs/new',
  '/-/orgs/*/people',
  '/-/orgs/acme/teams',
  '/-/orgs/acme/teams/*',
  '/-/orgs/*/settings',
  '/acme/room/stargazers',
  '/acme/room/watchers',
  '/acme/room/deployments?environment=*',
  '/own?tab=*',
  '/acme/room/labels',
  '/acme/room/milestones',
  '/acme/room/settings',
  '/acme/room/settings/branches',
  '/acme/room/settings/branches/*',
  '/acme/room/settings/keys',
  '/acme/room/settings/hooks/*',
  '/acme/room/settings/hooks/*/deliveries/*',
  '/acme/room/pulls',
  '/acme/room/pull/*',
  '/acme/room/pull/1/commits',
  '/acme/room/pull/*/files',
  '/acme/room/invitations',
  '/acme/room/issues',
  '/acme/room/issues/*',
  '/acme/room/milestone/*',
  '/acme/room/collaborators',
  '/-/invitations',
  '/-/notifications',
  '/acme/room.git/info/refs',
  '/acme/room/info/refs',
  '/acme/*/info/refs',
  '/*/room/info/refs',
  '/acme/room/git-upload-pack',
  '/acme/room/git-receive-pack',
  '/acme/room/*/*',
];

const formPaths: readonly string[] = [
  '/session',
  '/sessions/two-factor',
  '/logout',
  '/login/oauth/authorize',
  '/login/device',
  '/login/device/authorize',
  '/settings/apps/new',
  '/organizations/*/settings/apps/new',
  '/apps/helper/installations/new',
  '/settings/installations/*/delete',
  '/settings/tokens',
  '/settings/tokens/*/delete',
  '/acme/room/pulls',
  '/acme/room/issues',
  '/acme/room/issues/2/*',
  '/acme/room/issues/2/edit-text',
  '/acme/room/pull/1/delete-text',
  '/acme/room/issues/2/comment',
  '/acme/room/pull/1/*',
  '/acme/room/pull/1/merge',
  '/acme/room/pull/1/line-comment',
  '/-/new',
  '/acme/room/branches/*',
  '/acme/room/forks/*',
  '/acme/room/labels/*',
  '/acme/room/stars/*',
  '/-/admin/users/*',
  '/-/admin/users/guest/*',
  '/-/admin/organizations/*',
  '/settings/profile/*',
  '/-/orgs/new/*',
  '/-/orgs/acme/people/*',
  '/-/orgs/acme/teams/*',
  '/-/orgs/acme/teams/crew/*',
  '/-/orgs/acme/settings/*',
  '/acme/room/subscription/*',
  '/-/follows/*',
  '/acme/room/milestones/*',
  '/acme/room/settings/*',
  '/acme/room/settings/branch-protection/*',
  '/acme/room/settings/keys/*',
  '/settings/keys/*',
  '/acme/room/settings/hooks/*',
  '/acme/room/settings/hooks/*/*',
  '/acme/room/collaborators/*',
  '/-/invitations/*/accept',
  '/-/notifications',
  '/-/notifications/*/read',
  '/settings/applications/*/revoke',
  '/login/oauth/access_token',
  '/acme/room.git/git-upload-pack',
  '/acme/room.git/git-receive-pack',
];

const formFields = ['login', 'password', 'code', 'client_id', 'client_secret', 'redirect_uri']
  .concat('state', 'scope', 'authenticity_token', 'return_to', 'note', 'scopes', 'grant_type')
  .concat(
    'code_verifier',
    'response_type',
    'commit',
    'manifest',
    'account',
    'repositories',
    'base',
    'head',
  )
  .concat('title', 'body', 'labels', 'assignees', 'milestone', 'target', 'text');

describe('hostile requests for pages and git', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' });
    await furnish(forge, owner, { name: 'room' });
  });
  after(() => forge.close());

  const requests = (of: readonly string[], fill = hostileSegment) =>
    fc.record({
      path: fc
        .tuple(fc.constantFrom(...of), fill, fill)
        .map(([path, first, second]) => path.replace('*', () => first).replace('*', () => second)),
      query: fc.oneof(
        hostileQuery,
        fc.constantFrom('service=git-upload-pack', 'service=git-receive-pack', 'service=x'),
      ),
      headers: hostileHeaders,
      authorization: hostileAuthorization,
      signedIn: fc.boolean(),
    });

  test('are answered, whatever the path', async () => {
    await fc.assert(
      fc.asyncProperty(requests(paths), async ({ path, query, signedIn, ...rest }) => {
        const client = signedIn ? owner : forge.anonymous;
        await client.send('GET', `${path}?${query}`, { headers: headersOf(rest) });
      }),
      { seed, numRuns: 300 },
    );
  });

  test('change nothing for malformed forms and packs', async () => {
    const unchanged = await databaseFingerprint(forge.database);
    const body = fc.oneof(
      fc
        .array(fc.tuple(fc.constantFrom(...formFields), nastyText), { maxLength: 6 })
        .map((fields) => Buffer.from(new URLSearchParams(fields).toString())),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(...packs),
    );
    await fc.assert(
      fc.asyncProperty(requests(formPaths), body, async ({ path, query, ...rest }, bytes) => {
        const client = rest.signedIn ? owner : forge.anonymous;
        const headers = { 'content-type': typeOf(path), ...headersOf(rest) };
        await client.send('POST', `${path}?${query}`, { headers, body: bytes });
        await forge.ports.background.idle();
        assert.deepEqual(await databaseFingerprint(forge.database), unchanged);
      }),
      { seed, numRuns: 200 },
    );
  });
});

/** Beginnings of packs and of lines that are not what they say. */
const packs: readonly Buffer[] = [
  Buffer.from('0000'),
  Buffer.from('0001'),
  Buffer.from('0003'),
  Buffer.from('ffff'),
  Buffer.from('zzzz'),
  Buffer.from(`00a0${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/main\0 report-status0000`),
  Buffer.from(`0032want ${'f'.repeat(40)}\n00000009done\n`),
  Buffer.from('0014command=ls-refs\n0000'),
  Buffer.from('0000PACK\u0000\u0000\u0000\u0002\u00ff\u00ff\u00ff\u00ff'),
  Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff]),
];

function headersOf(request: {
  readonly headers: Record<string, string>;
  readonly authorization: string | undefined;
}): Record<string, string> {
  const { headers, authorization } = request;
  return authorization === undefined ? headers : { ...headers, authorization };
}

function typeOf(path: string): string {
  const service = /git-(?:upload|receive)-pack$/.exec(path)?.[0];
  return service ? `application/x-${service}-request` : 'application/x-www-form-urlencoded';
}
