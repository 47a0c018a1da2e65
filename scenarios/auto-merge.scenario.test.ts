import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import {
  CreateFunctionCommand,
  type LambdaClient,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';

import { clientOf, functionEnvironment, functionOf } from './function-service.ts';
import { git, remoteUrl } from './git-client.ts';
import { until } from './patience.ts';
import { api as apiOf, type ApiResponse, openUrl } from './push-to-status.ts';
import { removeFolder, type RunningServer, startServer } from './running-server.ts';

const patient = { seconds: 60 };

/** A status that is pending from the push on, and succeeds once a user comments on the pull. */
const approvalHandler = `
const { GITHUB_TOKEN } = process.env;
const headers = { authorization: 'token ' + GITHUB_TOKEN, 'user-agent': 'approval' };

async function report(repository, sha, state) {
  const body = JSON.stringify({ state, context: 'approval' });
  const answer = await fetch(repository.statuses_url.replace('{sha}', sha), { method: 'POST', headers, body });
  if (answer.status !== 201) throw new Error(await answer.text());
}

export const handler = async (event) => {
  const { after, issue, repository } = JSON.parse(event.body);
  if (event.headers['x-github-event'] === 'push') await report(repository, after, 'pending');
  if (event.headers['x-github-event'] === 'issue_comment') {
    const pull = await (await fetch(issue.pull_request.url, { headers })).json();
    await report(repository, pull.head.sha, 'success');
  }
  return { statusCode: 200 };
};`;

/** As `gh pr merge --auto` sends it. */
const enable = `mutation PullRequestAutoMerge($input: EnablePullRequestAutoMergeInput!) {
  enablePullRequestAutoMerge(input: $input) { clientMutationId }
}`;

describe('auto-merge: refused now, merged when the required status succeeds', () => {
  let folder: string;
  let server: RunningServer;
  let client: LambdaClient;
  let clone: string;
  const environment = functionEnvironment;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-auto-merge-'));
    server = await startServer(join(folder, 'data'), { environment });
    client = clientOf(server.url);
    const Variables = { GITHUB_TOKEN: server.token };
    const settings = { Environment: { Variables }, Timeout: 60 };
    const FunctionName = 'approval';
    const files = { 'index.mjs': approvalHandler };
    await client.send(new CreateFunctionCommand(functionOf(FunctionName, files, settings)));
    await waitUntilFunctionActiveV2({ client, maxWaitTime: 60, minDelay: 0.05 }, { FunctionName });
    await api('POST', '/user/repos', { name: 'waiting', auto_init: true });
    await api('PATCH', repository(), { allow_auto_merge: true });
    const protection = await api('PUT', `${repository()}/branches/main/protection`, {
      required_status_checks: { strict: false, contexts: ['approval'] },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    assert.equal(protection.status, 200, JSON.stringify(protection.body));
    const url = await openUrl(client, FunctionName);
    const config = { url, content_type: 'json' };
    const events = ['push', 'issue_comment'];
    const hook = await api('POST', `${repository()}/hooks`, { config, events });
    assert.equal(hook.status, 201, JSON.stringify(hook.body));
    clone = join(folder, 'clone');
    const remote = remoteUrl(server.url, server.login, server.token, `${server.login}/waiting`);
    await git(folder, 'clone', '-q', remote, clone);
  });
  after(async () => {
    client.destroy();
    await server.stop();
    await removeFolder(folder);
  });

  const api = (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
    apiOf(server, method, path, body);
  const repository = (): string => `/repos/${server.login}/waiting`;

  /** A pull whose status is pending, with auto-merge. */
  async function waitingPull(branch: string): Promise<string> {
    await git(clone, 'checkout', '-q', '-B', branch, 'origin/main');
    await git(clone, 'commit', '-q', '--allow-empty', '-m', branch);
    await git(clone, 'push', '-q', 'origin', branch);
    const sha = await git(clone, 'rev-parse', 'HEAD');
    await until(async () => {
      const { body } = await api('GET', `${repository()}/commits/${sha}/statuses`);
      return body[0]?.state;
    }, patient);
    const opened = await api('POST', `${repository()}/pulls`, {
      title: branch,
      head: branch,
      base: 'main',
    });
    const pull = `${repository()}/pulls/${opened.body.number}`;
    const refused = await api('PUT', `${pull}/merge`, {});
    assert.equal(refused.status, 405, JSON.stringify(refused.body));
    assert.match(refused.body.message, /approval/);
    const input = { pullRequestId: opened.body.node_id, mergeMethod: 'SQUASH' };
    const answer = await fetch(`${server.url}/api/graphql`, {
      method: 'POST',
      headers: { authorization: `token ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: enable, variables: { input } }),
    });
    assert.deepEqual(await answer.json(), {
      data: { enablePullRequestAutoMerge: { clientMutationId: null } },
    });
    return pull;
  }

  async function approve(pull: string): Promise<void> {
    const comments = `${pull.replace('/pulls/', '/issues/')}/comments`;
    assert.equal((await api('POST', comments, { body: 'Fine' })).status, 201);
  }

  async function assertMerged(pull: string, title: string): Promise<void> {
    const merged = await until(async () => {
      const { body } = await api('GET', pull);
      return body.merged ? body : undefined;
    }, patient);
    assert.deepEqual([merged.merged_by.login, merged.auto_merge], [server.login, null]);
    const commit = await api('GET', `${repository()}/commits/${merged.merge_commit_sha}`);
    assert.match(commit.body.commit.message, new RegExp(`^${title} \\(#${merged.number}\\)`));
    await git(clone, 'fetch', '-q', 'origin');
    assert.equal(await git(clone, 'rev-parse', 'origin/main'), merged.merge_commit_sha);
  }

  test('by the status that a function sets', async () => {
    const pull = await waitingPull('first');
    await approve(pull);
    await assertMerged(pull, 'first');
  });

  test('also if the server was killed and started between', async () => {
    const pull = await waitingPull('second');
    await server.kill();
    // Function URLs contain the port.
    const port = Number(new URL(server.url).port);
    server = await startServer(join(folder, 'data'), { environment, port });
    const { body } = await api('GET', pull);
    assert.deepEqual([body.merged, body.auto_merge.merge_method], [false, 'squash']);
    await approve(pull);
    await assertMerged(pull, 'second');
  });
});
