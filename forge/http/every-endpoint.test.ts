import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { endpoints } from '../routes.ts';
import { pathIn, furnish, type FurnishedRepository } from '../testing/furnished-repository.ts';
import {
  startTestForge,
  type TestResponse,
  type TestForge,
  type TestUser,
} from '../testing/test-forge.ts';

/** What differs from request to request, and how a body is framed, which HEAD has none of (RFC 9110, 9.3.2). */
const ofTheRequest = /^(?:date|transfer-encoding|x-github-request-id|x-ratelimit-.+)$/;

/** Operations whose accepted scopes clients rely on. */
const acceptedScopes: Readonly<Record<string, readonly string[]>> = {
  '': [
    'GET /user',
    'GET /rate_limit',
    'GET /',
    'GET /repos/:owner/:repo/invitations',
    'GET /repos/:owner/:repo/collaborators/:username',
    'GET /repos/:owner/:repo/collaborators/:username/permission',
    'GET /repos/:owner/:repo/pulls',
    'GET /repos/:owner/:repo/pulls/:pull_number',
    'GET /repos/:owner/:repo/pulls/:pull_number/commits',
    'GET /repos/:owner/:repo/pulls/:pull_number/files',
    'GET /repos/:owner/:repo/pulls/:pull_number/reviews',
    'GET /repos/:owner/:repo/pulls/:pull_number/requested_reviewers',
    'GET /repos/:owner/:repo/commits',
    'GET /repos/:owner/:repo/compare/:range',
    'GET /repos/:owner/:repo/contents/*',
    'GET /repos/:owner/:repo/branches',
    'GET /repos/:owner/:repo/branches/:branch/protection',
    'GET /repos/:owner/:repo/forks',
    'GET /repos/:owner/:repo/git/blobs/:file_sha',
    'GET /repos/:owner/:repo/git/trees/:tree_sha',
    'GET /repos/:owner/:repo/git/commits/:commit_sha',
    'GET /repos/:owner/:repo/git/tags/:tag_sha',
    'POST /repos/:owner/:repo/statuses/:sha',
    'POST /repos/:owner/:repo/pulls',
    'POST /repos/:owner/:repo/issues',
    'POST /repos/:owner/:repo/labels',
    'PATCH /repos/:owner/:repo',
    'PATCH /repos/:owner/:repo/pulls/:pull_number',
    'PATCH /repos/:owner/:repo/invitations/:invitation_id',
    'PUT /repos/:owner/:repo/pulls/:pull_number/merge',
    'PUT /repos/:owner/:repo/pulls/:pull_number/update-branch',
    'PUT /repos/:owner/:repo/collaborators/:username',
  ],
  repo: [
    'GET /repos/:owner/:repo',
    'GET /repos/:owner/:repo/git/refs/*',
    'GET /repos/:owner/:repo/issues',
    'GET /repos/:owner/:repo/issues/:issue_number',
    'GET /repos/:owner/:repo/labels',
    'GET /repos/:owner/:repo/milestones',
    'POST /repos/:owner/:repo/git/refs',
    'PATCH /repos/:owner/:repo/git/refs/*',
    'DELETE /repos/:owner/:repo/git/refs/*',
  ],
  'repo, repo:status': [
    'GET /repos/:owner/:repo/commits/:ref/statuses',
    'GET /repos/:owner/:repo/statuses/:ref',
    'GET /repos/:owner/:repo/commits/:ref/status',
  ],
  'public_repo, repo, repo:invite': [
    'GET /user/repository_invitations',
    'PATCH /user/repository_invitations/:invitation_id',
    'DELETE /user/repository_invitations/:invitation_id',
  ],
  'public_repo, repo': [
    'POST /user/repos',
    'POST /orgs/:org/repos',
    'PUT /repos/:owner/:repo/issues/:issue_number/lock',
    'DELETE /repos/:owner/:repo/issues/:issue_number/lock',
  ],
  delete_repo: ['DELETE /repos/:owner/:repo'],
  'admin:repo_hook, public_repo, repo, write:repo_hook': ['POST /repos/:owner/:repo/hooks'],
};

describe('every endpoint', () => {
  let forge: TestForge;
  let owner: TestUser;
  let repository: FurnishedRepository;

  before(async () => {
    forge = await startTestForge({ previews: 'lenient' });
    owner = await forge.user('own');
    await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' });
    repository = await furnish(forge, owner, { name: 'room' });
    await forge.ports.background.idle();
  });
  after(() => forge.close());

  test('answers HEAD with the status and the headers of GET, and with no body', async () => {
    for (const { declaration } of endpoints) {
      if (declaration.method !== 'GET') continue;
      const path = pathIn(repository, declaration);
      let get = await owner.get(path);
      // The statistics of a repository are still being computed.
      while (get.status === 202) {
        await forge.ports.background.idle();
        get = await owner.get(path);
      }
      const head = await owner.send('HEAD', path);
      assert.deepEqual([head.status, head.text], [get.status, ''], path);
      assert.deepEqual(headersOf(head), headersOf(get), path);
    }
  });

  test('has no length where a response has no body, HEAD or not', async () => {
    const { fullName } = repository;
    const { headers } = await owner.get(`/repos/${fullName}`);
    const unchanged = { headers: { 'if-none-match': headers['etag'] ?? '' } };
    for (const method of ['GET', 'HEAD']) {
      const nothing = await owner.send(method, `/repos/${fullName}/assignees/own`);
      const same = await owner.send(method, `/repos/${fullName}`, unchanged);
      assert.deepEqual([nothing.status, same.status], [204, 304], method);
      assert.equal(nothing.headers['content-length'], undefined, method);
      assert.equal(same.headers['content-length'], undefined, method);
    }
  });

  test('sends CORS headers to every caller', async () => {
    for (const path of new Set(endpoints.map((each) => pathIn(repository, each.declaration)))) {
      const { status, text, headers } = await forge.anonymous.send('OPTIONS', path);
      assert.deepEqual([status, text, headers['access-control-max-age']], [204, '', '86400'], path);
      assert.equal(headers['access-control-allow-methods'], 'GET, POST, PATCH, PUT, DELETE', path);
    }
  });

  test('names the scopes of the token and the accepted ones', async () => {
    for (const { declaration } of endpoints) {
      if (declaration.method !== 'GET') continue;
      const path = pathIn(repository, declaration);
      const { headers } = await owner.get(path);
      assert.match(headers['x-oauth-scopes'] ?? '', /\brepo\b/, path);
      assert.equal(headers['x-accepted-oauth-scopes'], declaration.acceptedScopes ?? '', path);
    }
  });

  test('takes the scopes that clients know', () => {
    const declared = new Map(
      endpoints.map(({ declaration: { method, path, acceptedScopes: scopes } }) => [
        `${method} ${path}`,
        scopes ?? '',
      ]),
    );
    for (const [scopes, operations] of Object.entries(acceptedScopes)) {
      for (const operation of operations) {
        assert.equal(declared.get(operation), scopes, operation);
      }
    }
  });
});

function headersOf({ headers }: TestResponse): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheRequest.test(name)));
}
