/** Seeds of a server with test controls (docs/testing-with-hob.md). */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';

import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { type ControlledServer, startControlledServer } from './controlled-server.ts';
import { documentedExample } from './documented-example.ts';
import { clientOf, functionEnvironment } from './function-service.ts';

const isOnPostgres = testPostgresUrl !== undefined;
const website = '/repos/acme/website';

/** What must be the same in every run. */
async function fixedValues(server: ControlledServer): Promise<unknown> {
  const bob = 'token token-of-bob';
  const { body: user } = await server.api('GET', '/user', undefined, bob);
  const { body: repository } = await server.api('GET', website, undefined, bob);
  const { body: pulls } = await server.api('GET', `${website}/pulls?state=all`, undefined, bob);
  const { body: commits } = await server.api('GET', `${website}/commits`);
  const head = `${website}/commits/contact`;
  const { body: status } = await server.api('GET', `${head}/status`);
  return {
    user: user.id,
    repository: [repository.id, repository.description, repository.created_at],
    pulls: pulls.map((pull: Record<string, unknown>) => [
      pull['id'],
      pull['number'],
      pull['title'],
      pull['state'],
      pull['merged_at'],
      pull['merge_commit_sha'],
    ]),
    commits: commits.map(({ sha }: { sha: string }) => sha),
    status: [status.state, status.sha, status.statuses[0]?.context],
  };
}

describe('a seed', { timeout: 240_000 }, () => {
  let folder: string;
  let seed: string;
  let server: ControlledServer;
  let seeded: unknown;
  const start = (): Promise<ControlledServer> =>
    startControlledServer({
      flags: ['--seed', join(folder, 'seed.yaml')],
      // Without the usual exception for scenarios: seeds pass all limits.
      environment: { ...functionEnvironment, HOB_ABUSE_LIMITS: 'on' },
    });
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-seed-'));
    seed = await documentedExample('seed.yaml');
    await writeFile(join(folder, 'seed.yaml'), seed);
    server = await start();
    seeded = await fixedValues(server);
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('makes what it names', async () => {
    const { body: pulls } = await server.api('GET', `${website}/pulls?state=all`);
    assert.deepEqual(
      pulls.map((pull: { title: string; merged_at: string | null; user: { login: string } }) => [
        pull.title,
        pull.merged_at !== null,
        pull.user.login,
      ]),
      [
        ['Add an imprint', true, 'ada'],
        ['Add a contact page', false, 'bob'],
      ],
    );
    const page = await server.api('GET', `${website}/contents/pages/imprint.md`);
    assert.equal(Buffer.from(page.body.content, 'base64').toString(), '# Imprint\n');
    const scopes = await server.api('GET', '/user', undefined, 'token token-of-bob');
    assert.equal(scopes.headers.get('x-oauth-scopes'), 'repo');
    const client = clientOf(server.url);
    try {
      const read = new GetFunctionConfigurationCommand({ FunctionName: 'greet' });
      const greet = await client.send(read);
      assert.deepEqual([greet.Runtime, greet.State], ['nodejs24.x', 'Active']);
      assert.deepEqual(greet.Environment?.Variables, { GREETING: 'Hello' });
    } finally {
      client.destroy();
    }
  });

  it('has the same ids and SHAs in another run', async () => {
    const other = await start();
    try {
      assert.deepEqual(await fixedValues(other), seeded);
    } finally {
      await other.close();
    }
  });

  it('is what a reset returns to', { skip: isOnPostgres }, async () => {
    await server.api('DELETE', website, undefined, 'token token-of-ada');
    assert.equal((await server.api('GET', website)).status, 404);
    assert.equal((await server.control('POST', '/reset')).status, 204);
    assert.deepEqual(await fixedValues(server), seeded);
  });

  it('is added to what there is by the control', async () => {
    const more = 'users: [{ login: eve, token: token-of-eve }]';
    assert.equal((await server.control('POST', '/seed', more)).status, 204);
    const eve = await server.api('GET', '/user', undefined, 'token token-of-eve');
    assert.equal(eve.body.login, 'eve');
    const again = await server.control('POST', '/seed', more);
    assert.equal(again.status, 422);
    assert.match(again.body.message, /POST \/api\/v3\/admin\/users responded 422/);
  });

  it('is refused with where it is wrong', async () => {
    for (const [wrong, problem] of [
      ['users: [', /is not YAML/],
      ['people: []', /people is unknown/],
      ['users: [{ login: 7 }]', /users\.0\.login must be/],
      ['clock: soon', /not a time/],
      ['users: [{ login: a, token: t }, { login: b, token: t }]', /token of b is already/],
      ['repositories: [{ name: nobody/x }]', /no user nobody/],
      ['repositories: [{ name: root/x, issues: [{ title: y, state: merged }] }]', /state must be/],
      ['repositories: [{ name: root/x, pulls: [{ head: y }] }]', /responded 422/],
      [
        'repositories: [{ name: root/y, statuses: [{ branch: y, state: success }] }]',
        /no branch y/,
      ],
    ] as const) {
      const { status, body } = await server.control('POST', '/seed', wrong);
      assert.equal(status, 422, wrong);
      assert.match(body.message, problem);
    }
  });

  it('leaves issues and pulls in the state that it names', async () => {
    const notes = `
repositories:
  - name: root/notes
    commits:
      - files: { README.md: "# Notes" }
      - { branch: left, from: main, files: { left.md: "" } }
      - { branch: right, from: main, files: { right.md: "" } }
    issues:
      - { title: Still to do }
      - { title: Done, body: It was easy., author: bob, state: closed }
    pulls:
      - { head: left, state: closed }
      - { head: right, draft: true, state: open }`;
    assert.equal((await server.control('POST', '/seed', notes)).status, 204);
    const { body: all } = await server.api('GET', '/repos/root/notes/issues?state=all');
    const stateOf = (issue: {
      number: number;
      title: string;
      state: string;
      closed_at: string | null;
      user: { login: string };
    }): unknown => [
      issue.number,
      issue.title,
      issue.state,
      issue.closed_at !== null,
      issue.user.login,
    ];
    assert.deepEqual(all.map(stateOf), [
      [4, 'right', 'open', false, 'root'],
      [3, 'left', 'closed', true, 'root'],
      [2, 'Done', 'closed', true, 'bob'],
      [1, 'Still to do', 'open', false, 'root'],
    ]);
    const { body: pull } = await server.api('GET', '/repos/root/notes/pulls/3');
    assert.deepEqual([pull.state, pull.merged, pull.merged_at], ['closed', false, null]);
    const { body: draft } = await server.api('GET', '/repos/root/notes/pulls/4');
    assert.deepEqual([draft.state, draft.draft], ['open', true]);
  });

  it('leaves nothing when it is refused midway', { skip: isOnPostgres }, async () => {
    await server.control('PUT', '/clock', { now: '2031-01-01T00:00:00Z' });
    const midway = `
users: [{ login: half, token: token-of-half }]
organizations: [{ login: halves, owner: half }]
repositories:
  - name: half/first
    commits: [{ files: { README.md: "" } }]
    pulls: [{ head: main, title: Refused }]
functions:
  - { name: half, files: { index.mjs: "export const handler = () => 1;" } }`;
    const refused = await server.control('POST', '/seed', midway);
    assert.equal(refused.status, 422, JSON.stringify(refused.body));
    const functions = `
users: [{ login: half, token: token-of-half }]
repositories: [{ name: half/first, commits: [{ files: { README.md: "" } }] }]
functions:
  - { name: half, files: { index.mjs: "export const handler = () => 1;" } }
  - { name: other, runtime: cobol, files: { index.mjs: "" } }`;
    const late = await server.control('POST', '/seed', functions);
    assert.equal(late.status, 422, JSON.stringify(late.body));
    for (const gone of ['/users/half', '/users/halves', '/repos/half/first']) {
      assert.equal((await server.api('GET', gone)).status, 404, gone);
    }
    const half = await server.api('GET', '/user', undefined, 'token token-of-half');
    assert.equal(half.status, 401);
    const client = clientOf(server.url);
    try {
      const read = new GetFunctionConfigurationCommand({ FunctionName: 'half' });
      await assert.rejects(client.send(read), { name: 'ResourceNotFoundException' });
    } finally {
      client.destroy();
    }
    assert.deepEqual((await server.control('GET', '/clock')).body, {
      now: '2031-01-01T00:00:00.000Z',
      running: false,
    });
    assert.deepEqual((await server.control('GET', '/snapshots')).body, []);
    // What was there before is there, and the next seed gets the ids that the refused one had.
    assert.equal((await server.api('GET', website)).status, 200);
    const whole = midway.replace(/    pulls:.*\n/, '');
    assert.equal((await server.control('POST', '/seed', whole)).status, 204);
    assert.equal((await server.api('GET', '/repos/half/first')).status, 200);
  });
});
