/** Seeds of a server with test controls (docs/testing-with-hob.md). */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';

import { testPostgresUrl } from '#platform/testing/test-database.ts';

import { type ControlledServer, startControlledServer } from './controlled-server.ts';
import { documentedExample } from './documented-example.ts';
import { clientOf, functionEnvironment } from './function-service.ts';

const website = '/repos/acme/website';

/** What must be the same in every run. */
async function fixedFacts(server: ControlledServer): Promise<unknown> {
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
  let facts: unknown;
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
    facts = await fixedFacts(server);
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
      assert.deepEqual(await fixedFacts(other), facts);
    } finally {
      await other.close();
    }
  });

  it('is what a reset returns to', { skip: testPostgresUrl !== undefined }, async () => {
    await server.api('DELETE', website, undefined, 'token token-of-ada');
    assert.equal((await server.api('GET', website)).status, 404);
    assert.equal((await server.control('POST', '/reset')).status, 204);
    assert.deepEqual(await fixedFacts(server), facts);
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
      ['repositories: [{ name: nobody/x }]', /no user nobody/],
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
});
