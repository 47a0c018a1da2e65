import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '#forge/testing/commits.ts';
import { suspendUser, unsuspendUser } from '#forge/site/suspend-user.ts';
import type { TestUser } from '#forge/testing/test-forge.ts';
import { createAccessKey, deleteAccessKey } from '#functions/access-keys/administer-access-keys.ts';
import type { AccessKeyPair } from '#functions/access-keys/administer-access-keys.ts';
import { requestOf } from '#functions/testing/request-of.ts';
import { signRequest } from '#functions/signing/testing/sign-request.ts';
import type { TestResponse } from '#functions/testing/test-functions.ts';
import { releaseClaims } from '#functions/events/event-store.ts';
import {
  claimPushDeployment,
  duePushDeployments,
} from '#functions/push-deployments/push-deployment-store.ts';
import { operationHandlers } from '#functions/routes.ts';
import { currentLineage, inLineage } from '#platform/invocation-lineage.ts';

import { until } from '../../scenarios/patience.ts';
import { connectServices, type ConnectedServices } from './testing/connected-services.ts';

const template = (name: string, more = ''): string => `Resources:
  Fn:
    Type: AWS::Serverless::Function
    Properties:
      FunctionName: ${name}
      Runtime: nodejs24.x
      Handler: index.handler
      CodeUri: code
${more}`;

describe('push deployments', () => {
  let services: ConnectedServices;
  let owner: TestUser;
  let key: AccessKeyPair;
  let serial = 0;
  before(async () => {
    services = await connectServices();
    owner = await services.forge.user('ada');
    key = await createAccessKey(services.functions.ports, owner.account.id);
  });
  after(() => services.close());

  /** Calls an operation with an access key. */
  async function call(
    name: string,
    input: Readonly<Record<string, unknown>> = {},
    by = key,
  ): Promise<TestResponse> {
    const served = operationHandlers(services.functions.ports);
    const operation = served.find((each) => each.operation.name === name)?.operation;
    const { method, target, headers, body } = requestOf(operation ?? assert.fail(name), input);
    const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const text = body?.toString();
    const signed = signRequest(
      { method, target, ...(headers && { headers }), ...(text !== undefined && { body: text }) },
      { ...by, time },
    );
    const pairs = signed.rawHeaders.flatMap((value, index, all): [string, string][] =>
      index % 2 === 0 ? [[value, all[index + 1] ?? '']] : [],
    );
    return services.functions.send({
      method,
      target,
      headers: Object.fromEntries(pairs),
      ...(text !== undefined && { body: text }),
    });
  }

  /** A repository whose main branch deploys. */
  async function bound(Folder = ''): Promise<{ full: string; name: string }> {
    serial += 1;
    const full = await services.forge.repository(owner, { name: `repo-${serial}` });
    const created = await call('CreatePushDeployment', {
      Repository: full,
      Branch: 'main',
      Folder,
    });
    assert.equal(created.status, 201, created.text);
    return { full, name: `fn-${serial}` };
  }

  const push = (
    full: string,
    files: Readonly<Record<string, string>>,
    branch = 'main',
  ): Promise<string> => commitFiles(services.forge, full, branch, files);

  /** Those of a commit, oldest first. */
  async function statuses(full: string, commit: string): Promise<string[]> {
    const { body } = await owner.get(`/repos/${full}/commits/${commit}/statuses`);
    return body
      .map((status: Record<string, string>) =>
        [status['context'], status['state'], status['description']].join(' '),
      )
      .toReversed();
  }

  const configuration = async (FunctionName: string, Qualifier?: string) =>
    (
      await services.functions.call('GetFunctionConfiguration', {
        FunctionName,
        ...(Qualifier !== undefined && { Qualifier }),
      })
    ).body;

  const listed = async (full: string): Promise<Record<string, string> | undefined> =>
    (await call('ListPushDeployments')).body.PushDeployments.find(
      ({ Repository }: Record<string, string>) => Repository === full,
    );

  test('are refused without push access, without a caller, and for what is no branch or folder', async () => {
    const full = await services.forge.repository(owner, { name: 'refused', private: true });
    const open = await services.forge.repository(owner, { name: 'open' });
    const outsider = await services.forge.user('eve');
    const outsiderKey = await createAccessKey(services.functions.ports, outsider.account.id);
    const input = { Repository: full, Branch: 'main' };
    const cases = [
      [await services.functions.call('CreatePushDeployment', input), 403, /access key of a user/],
      [await services.functions.call('ListPushDeployments'), 403, /access key of a user/],
      [
        await call('CreatePushDeployment', input, outsiderKey),
        404,
        /Repository not found: ada\/refused/,
      ],
      [
        await call('CreatePushDeployment', { ...input, Repository: open }, outsiderKey),
        403,
        /cannot push/,
      ],
      [await call('CreatePushDeployment', { ...input, Repository: 'a/b' }), 404, /not found/],
      [
        await call('CreatePushDeployment', { ...input, Branch: 'a..b' }),
        400,
        /not the name of a branch/,
      ],
      [
        await call('CreatePushDeployment', { ...input, Folder: '../x' }),
        400,
        /Folder must be a path/,
      ],
      [await call('DeletePushDeployment', input), 404, /no push deployment/],
    ] as const;
    for (const [answer, status, message] of cases) {
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.text, message);
    }
    assert.deepEqual((await call('ListPushDeployments')).body.PushDeployments, []);
  });

  test('are listed and deleted by who created them only', async () => {
    const { full } = await bound('functions/');
    const other = await services.forge.user('mallory');
    const theirs = await createAccessKey(services.functions.ports, other.account.id);
    assert.deepEqual((await call('ListPushDeployments', {}, theirs)).body.PushDeployments, []);
    assert.deepEqual(await listed(full), { Repository: full, Branch: 'main', Folder: 'functions' });
    const input = { Repository: full, Branch: 'main', Folder: 'functions' };
    assert.equal((await call('CreatePushDeployment', input)).status, 409);
    assert.equal((await call('DeletePushDeployment', input, theirs)).status, 404);
    assert.equal((await call('DeletePushDeployment', input)).status, 204);
    assert.equal(await listed(full), undefined);
  });

  test('are listed and deleted by administrators of the repository, and by who lost the access', async () => {
    const { full } = await bound();
    serial += 1;
    const friend = await services.forge.user(`friend-${serial}`);
    const theirs = await createAccessKey(services.functions.ports, friend.account.id);
    const invited = await owner.put(`/repos/${full}/collaborators/${friend.login}`, {
      permission: 'push',
    });
    await friend.patch(`/user/repository_invitations/${invited.body.id}`);
    for (const Branch of ['one', 'two']) {
      const made = await call('CreatePushDeployment', { Repository: full, Branch }, theirs);
      assert.equal(made.status, 201, made.text);
    }
    const of = { Repository: full };
    assert.equal((await call('ListPushDeployments', of, theirs)).status, 403);
    assert.equal(
      (await call('ListPushDeployments', { Repository: 'ada/absent' }, theirs)).status,
      404,
    );
    const branches = (await call('ListPushDeployments', of)).body.PushDeployments.map(
      ({ Branch }: Record<string, string>) => Branch,
    );
    assert.deepEqual(branches, ['main', 'one', 'two']);
    const deleted = async (Branch: string, by = key): Promise<number> =>
      (await call('DeletePushDeployment', { ...of, Branch }, by)).status;
    assert.equal(await deleted('main', theirs), 404);
    assert.equal(await deleted('one'), 204);
    assert.equal((await owner.patch(`/repos/${full}`, { private: true })).status, 200);
    await owner.delete(`/repos/${full}/collaborators/${friend.login}`);
    assert.equal(await deleted('main', theirs), 404);
    assert.equal(await deleted('two', theirs), 204);
  });

  test('are at most 20 of a repository', async () => {
    const { full } = await bound();
    const created = (Branch: string): Promise<TestResponse> =>
      call('CreatePushDeployment', { Repository: full, Branch });
    for (let count = 1; count < 20; count += 1) {
      assert.equal((await created(`b${count}`)).status, 201);
    }
    const refused = await created('b20');
    assert.equal(refused.status, 409);
    assert.match(refused.text, /Delete one first/);
  });

  test('of one user leave slots for those of others', async () => {
    const files = (name: string) => ({ 'template.yaml': template(name), 'code/index.mjs': '1' });
    for (let count = 1; count <= 4; count += 1) {
      const { full, name } = await bound();
      await push(full, files(name));
    }
    const { full, name } = await bound();
    serial += 1;
    const friend = await services.forge.user(`friend-${serial}`);
    const theirs = await createAccessKey(services.functions.ports, friend.account.id);
    const invited = await owner.put(`/repos/${full}/collaborators/${friend.login}`, {
      permission: 'push',
    });
    await friend.patch(`/user/repository_invitations/${invited.body.id}`);
    const input = { Repository: full, Branch: 'topic' };
    assert.equal((await call('CreatePushDeployment', input, theirs)).status, 201);
    const commit = await push(full, files(name), 'topic');
    const releaseStarts = services.functions.environments.holdStarts();
    const running = services.pushes.poll();
    try {
      await until(async () => (await statuses(full, commit))[0], {
        seconds: 60,
        missing: 'the status of the other user',
      });
    } finally {
      releaseStarts();
    }
    await running;
    assert.match((await statuses(full, commit)).at(-1) ?? '', /success/);
  });

  test('deploy the template of a push, publish a version of the commit, and create statuses', async () => {
    const { full, name } = await bound();
    const commit = await push(full, { 'template.yaml': template(name), 'code/index.mjs': '1' });
    await services.pushes.poll();
    assert.deepEqual(await statuses(full, commit), [
      `deploy/${name} pending Deploying ${commit.slice(0, 7)}`,
      `deploy/${name} success Version 1 is published`,
    ]);
    assert.equal((await configuration(name, '1')).Description, commit);
    const { body } = await owner.get(`/repos/${full}/commits/${commit}/statuses`);
    assert.equal(body[0].creator.login, 'ada');
    const { LastCommit, LastResult } = (await listed(full)) ?? {};
    assert.deepEqual([LastCommit, LastResult], [commit, 'success']);
    const { CodeSha256 } = await configuration(name);
    const next = await push(full, { 'code/index.mjs': '2' });
    await services.pushes.poll();
    assert.notEqual((await configuration(name)).CodeSha256, CodeSha256);
    assert.equal((await configuration(name, '2')).Description, next);
  });

  test('show the reason of a failure, and deploy again when it is mended', async () => {
    const { full, name } = await bound('app');
    const none = await push(full, { 'app/code/index.mjs': '1' });
    await services.pushes.poll();
    assert.deepEqual(await statuses(full, none), [
      'deploy/template failure There is no template.yaml, template.yml, template.json in app.',
    ]);
    const bad = await push(full, { 'app/template.yaml': template(name, '      Policies: []\n') });
    await services.pushes.poll();
    const [refused = ''] = await statuses(full, bad);
    assert.match(
      refused,
      /^deploy\/template failure app\/template\.yaml:9: .*Policies: roles have/,
    );
    await push(full, { 'app/template.yaml': template(name) });
    await services.pushes.poll();
    const text = `The runtime is not installed. ${'It is missing. '.repeat(20)}`;
    services.functions.environments.failStarts({ code: 'InvalidRuntime', text });
    const failing = await push(full, { 'app/code/index.mjs': '2' });
    await services.pushes.poll();
    services.functions.environments.failStarts(undefined);
    const [, failed = ''] = await statuses(full, failing);
    assert.match(
      failed,
      /^deploy\/fn-\d+ failure InvalidRuntime: The runtime is not installed\..*…$/,
    );
    assert.equal((await listed(full))?.['LastReason'], `${name}: InvalidRuntime: ${text}`);
    const mended = await push(full, { 'app/code/other.mjs': '3' });
    await services.pushes.poll();
    assert.match((await statuses(full, mended)).at(-1) ?? '', /success/);
    const missing = await push(full, {
      'app/template.yaml': template(name).replace('CodeUri: code', 'CodeUri: absent'),
    });
    await services.pushes.poll();
    assert.match((await statuses(full, missing)).at(-1) ?? '', /failure .*NoSuchKey/);
  });

  test('ignore other branches, forks, and a bucket of the operator of the same name', async () => {
    const { full, name } = await bound();
    const files = { 'template.yaml': template(name), 'code/index.mjs': '1', 'code.zip': 'x' };
    const first = await push(full, files);
    await services.pushes.poll();
    assert.match((await statuses(full, first)).at(-1) ?? '', /success/);
    const { RevisionId } = await configuration(name);
    const topic = await push(full, { 'code/index.mjs': 'topic' }, 'topic');
    const forker = await services.forge.user(`forker-${serial}`);
    const forked = await forker.post(`/repos/${full}/forks`);
    assert.equal(forked.status, 202, forked.text);
    await services.forge.ports.background.idle();
    const fork = await push(forked.body.full_name, { 'code/index.mjs': 'fork' });
    await services.pushes.poll();
    assert.deepEqual(await statuses(full, topic), []);
    assert.deepEqual(await statuses(forked.body.full_name, fork), []);
    assert.equal((await configuration(name)).RevisionId, RevisionId);
  });

  test('deploy the last of several pushes, and a push that comes during a deployment', async () => {
    const { full, name } = await bound();
    const first = await push(full, { 'template.yaml': template(name), 'code/index.mjs': '1' });
    const second = await push(full, { 'code/index.mjs': '2' });
    const releaseStarts = services.functions.environments.holdStarts();
    const running = services.pushes.poll();
    await until(async () => (await statuses(full, second))[0], {
      seconds: 60,
      missing: 'the status of the second push',
    });
    const third = await push(full, { 'code/index.mjs': '3' });
    releaseStarts();
    await running;
    await services.pushes.poll();
    assert.deepEqual(await statuses(full, first), []);
    assert.match((await statuses(full, second)).at(-1) ?? '', /success Version 1/);
    assert.match((await statuses(full, third)).at(-1) ?? '', /success Version 2/);
    assert.equal((await configuration(name, '2')).Description, third);
    // The same commit again is not deployed again.
    await services.pushes.poll();
    assert.equal((await statuses(full, third)).length, 2);
  });

  test('end with the access of their owner, and go with the repository', async () => {
    const { full } = await bound();
    const friend = await services.forge.user(`friend-${serial}`);
    const theirs = await createAccessKey(services.functions.ports, friend.account.id);
    const invited = await owner.put(`/repos/${full}/collaborators/${friend.login}`, {
      permission: 'push',
    });
    await friend.patch(`/user/repository_invitations/${invited.body.id}`);
    const input = { Repository: full, Branch: 'topic' };
    assert.equal((await call('CreatePushDeployment', input, theirs)).status, 201);
    const files = (name: string) => ({ 'template.yaml': template(name), 'code/index.mjs': '1' });
    assert.equal((await owner.delete(`/repos/${full}/collaborators/${friend.login}`)).status, 204);
    const lost = await push(full, files('never-1'), 'topic');
    await services.pushes.poll();
    assert.deepEqual(await statuses(full, lost), []);
    const own = await call('ListPushDeployments', {}, theirs);
    assert.deepEqual(own.body.PushDeployments, []);
    const again = await owner.put(`/repos/${full}/collaborators/${friend.login}`, {
      permission: 'push',
    });
    await friend.patch(`/user/repository_invitations/${again.body.id}`);
    const resumed = await push(full, { 'code/index.mjs': '3' }, 'topic');
    await services.pushes.poll();
    assert.deepEqual(await statuses(full, resumed), []);
    assert.equal((await call('CreatePushDeployment', input, theirs)).status, 201);
    const newer = await createAccessKey(services.functions.ports, friend.account.id);
    await deleteAccessKey(services.functions.ports, theirs.accessKeyId);
    const keyless = await push(full, { 'code/index.mjs': '2' }, 'topic');
    await services.pushes.poll();
    assert.deepEqual(await statuses(full, keyless), []);
    assert.deepEqual((await call('ListPushDeployments', {}, newer)).body.PushDeployments, []);
    assert.equal(
      (await services.functions.call('GetFunction', { FunctionName: 'never-1' })).status,
      404,
    );
    assert.equal((await owner.delete(`/repos/${full}`)).status, 204);
    assert.equal(await listed(full), undefined);
  });

  test('deploy nothing while their owner is suspended, and go on after that', async () => {
    const friend = await services.forge.user('grace');
    const full = await services.forge.repository(friend, { name: 'suspended' });
    const theirs = await createAccessKey(services.functions.ports, friend.account.id);
    const input = { Repository: full, Branch: 'main' };
    assert.equal((await call('CreatePushDeployment', input, theirs)).status, 201);
    await suspendUser(services.forge, 'grace');
    const files = { 'template.yaml': template('resumed'), 'code/index.mjs': '1' };
    await push(full, files);
    await services.pushes.poll();
    const { status } = await services.functions.call('GetFunction', { FunctionName: 'resumed' });
    assert.equal(status, 404);
    await unsuspendUser(services.forge, 'grace');
    const [shown] = (await call('ListPushDeployments', {}, theirs)).body.PushDeployments;
    assert.match(shown.LastReason, /suspended/);
    const next = await push(full, { 'code/index.mjs': '2' });
    await services.pushes.poll();
    assert.match((await statuses(full, next)).at(-1) ?? '', /success/);
  });

  test('fail after five attempts that ended the server, until the next push', async () => {
    const { full, name } = await bound();
    const commit = await push(full, { 'template.yaml': template(name), 'code/index.mjs': '1' });
    const { database, clock } = services.forge;
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await database.write(async (sql) => {
        const [due] = await duePushDeployments(sql, clock.now(), { ofOneMax: 1, limit: 1 });
        assert.ok(due && (await claimPushDeployment(sql, due, 'dead-server', clock.now())));
        await releaseClaims(sql, 'function_push_deployments', 'dead-server', clock.now());
      });
    }
    await services.pushes.poll();
    const reason = 'The server stopped during 5 attempts. Push again to try again.';
    assert.deepEqual(await statuses(full, commit), [`deploy/template failure ${reason}`]);
    assert.equal((await listed(full))?.['LastReason'], reason);
    const next = await push(full, { 'code/index.mjs': '2' });
    await services.pushes.poll();
    assert.match((await statuses(full, next)).at(-1) ?? '', /success/);
  });

  test('that the function service refuses again and again are tried less and less often, and fail', async () => {
    const { full, name } = await bound();
    const { clock } = services.forge;
    const commit = await push(full, { 'template.yaml': template(name), 'code/index.mjs': '1' });
    const { promise: fetched, resolve: endFetches } = Promise.withResolvers<void>();
    const { code } = services.functions.ports;
    const fetches = Array.from({ length: 4 }, () => code.whileFetching(() => fetched));
    const minute = 60_000;
    let polls = 0;
    for (let passed = 0; passed < 120 * minute; passed += minute) {
      await services.pushes.poll();
      polls += 1;
      if ((await listed(full))?.['LastResult'] !== undefined) break;
      clock.advance(minute);
    }
    endFetches();
    await Promise.all(fetches);
    assert.ok(polls > 50 && polls < 100, String(polls));
    const reason =
      'TooManyRequestsException: Too many archives are being fetched. Try again later.';
    assert.deepEqual(await statuses(full, commit), [
      `deploy/${name} pending Deploying ${commit.slice(0, 7)}`,
      `deploy/${name} failure ${reason}`,
    ]);
    assert.equal((await listed(full))?.['LastReason'], `${name}: ${reason}`);
    const next = await push(full, { 'code/index.mjs': '2' });
    await services.pushes.poll();
    assert.match((await statuses(full, next)).at(-1) ?? '', /success/);
  });

  test('record at most 4096 characters of a reason, without the values of variables', async () => {
    const { full, name } = await bound();
    const wrong = Array.from({ length: 60 }, (_, i) => `      Wrong${i}: x\n`).join('');
    await push(full, { 'template.yaml': template(name, wrong), 'code/index.mjs': '1' });
    await services.pushes.poll();
    assert.equal((await listed(full))?.['LastReason']?.length, 4096);
    await push(full, { 'template.yaml': template(name) });
    await services.pushes.poll();
    await services.functions.call('UpdateFunctionConfiguration', {
      FunctionName: name,
      Environment: { Variables: { SECRET: 'hush' } },
    });
    await services.functions.untilProvisioned();
    const large = `      Environment: { Variables: { LARGE: ${'x'.repeat(4096)} } }\n`;
    await push(full, { 'template.yaml': template(name, large) });
    await services.pushes.poll();
    const { LastReason = '' } = (await listed(full)) ?? {};
    assert.match(LastReason, /exceeded the 4KB limit\.$/);
    assert.doesNotMatch(LastReason, /hush|measured/);
  });

  test('keep what the template does not name, and continue the chain of requests', async () => {
    const { full, name } = await bound();
    await push(full, { 'template.yaml': template(name), 'code/index.mjs': '1' });
    await services.pushes.poll();
    await services.functions.call('UpdateFunctionConfiguration', {
      FunctionName: name,
      Environment: { Variables: { SECRET: 'hush' } },
    });
    await services.functions.untilProvisioned();
    const hook = await owner.post(`/repos/${full}/hooks`, {
      config: { url: 'http://hooks.example.test/' },
      events: ['status'],
    });
    assert.equal(hook.status, 201, hook.text);
    const more = '      Environment: { Variables: { STAGE: test } }\n';
    await inLineage('1:abcdef:0', () => push(full, { 'template.yaml': template(name, more) }));
    assert.equal(currentLineage(), undefined);
    await services.pushes.poll();
    const { Environment } = await configuration(name);
    assert.deepEqual(Environment.Variables, { SECRET: 'hush', STAGE: 'test' });
    const audited = await readFile(join(services.functions.folder, 'audit.log'), 'utf8');
    assert.ok(audited.includes(`"sourceAddress":"push to ${full}"`));
    assert.ok(!audited.includes('hush'));
    const deliveries = await services.forge.database.read((sql) =>
      sql.all<{ lineage: string | null }>(
        `select d.lineage from webhook_deliveries d where d.webhook_id = $1 and d.event = 'status'`,
        hook.body.id,
      ),
    );
    assert.deepEqual(
      deliveries.map(({ lineage }) => lineage),
      ['1:abcdef:0', '1:abcdef:0'],
    );
  });
});
