import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { AddPermissionCommand } from '@aws-sdk/client-lambda';
import { App, createNodeMiddleware, Octokit } from 'octokit';

import { endWithThisProcess } from './child-processes.ts';
import { type FunctionService, startFunctionService } from './function-service.ts';
import { until } from './patience.ts';
import { filesOfPackage } from './probot-bundle.ts';
import { api as apiOf, type ApiResponse, openUrl } from './push-to-status.ts';
import { removeFolder, rootFolder } from './running-server.ts';

const patient = { seconds: 60 };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** What Probot is given: a bot that reports a check run for each pull that is opened. */
const botProgram = `
export const bot = (app) => {
  app.on('pull_request.opened', async (context) => {
    const { head } = context.payload.pull_request;
    const run = { name: 'bot', head_sha: head.sha, status: 'in_progress' };
    const { data } = await context.octokit.rest.checks.create(context.repo(run));
    const output = { title: 'Seen', summary: 'The bot has seen ' + head.ref };
    const done = { check_run_id: data.id, status: 'completed', conclusion: 'success', output };
    await context.octokit.rest.checks.update(context.repo(done));
  });
};`;

/** Probot by HTTP, as its documentation has it for a server of one's own. */
const serverProgram = `
import { createServer } from 'node:http';
import { createNodeMiddleware, createProbot } from 'probot';
import { bot } from './bot.mjs';
const middleware = await createNodeMiddleware(bot, { probot: createProbot() });
const server = createServer(middleware).listen(0, '127.0.0.1', () => {
  process.stdout.write('listening on ' + server.address().port + '\\n');
});`;

/** Probot by its Lambda adapter, as its documentation has it. */
const functionProgram = `
import adapter from '@probot/adapter-aws-lambda-serverless';
import { bot } from './bot.mjs';
const { createLambdaFunction, createProbot } = adapter;
export const handler = createLambdaFunction(bot, { probot: createProbot() });`;

interface CreatedApp {
  readonly id: number;
  readonly slug: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly privateKey: string;
  readonly webhookSecret: string;
}

describe('GitHub Apps, as they are written for GitHub, gate merges', () => {
  let service: FunctionService;
  let folder: string;
  const children: ChildProcess[] = [];
  const servers: Server[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-github-apps-'));
    service = await startFunctionService({ HOB_WEBHOOK_PRIVATE_TARGETS: 'on' });
    await symlink(join(rootFolder, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'bot.mjs'), botProgram);
    await writeFile(join(folder, 'server.mjs'), serverProgram);
  });
  after(async () => {
    for (const child of children) child.kill();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    await service.stop();
    await removeFolder(folder);
  });

  const api = (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
    apiOf(service.server, method, path, body);
  const fullName = (name: string): string => `${service.server.login}/${name}`;

  async function createApp(name: string): Promise<CreatedApp> {
    const { server } = service;
    const { login } = server;
    const permissions = 'checks=write,contents=read,pull_requests=write,issues=write';
    const about = ['--permissions', permissions, '--events', 'pull_request', '--json'];
    return JSON.parse(await server.admin('create-app', name, '--owner', login, ...about));
  }

  /** Octokit as the App. */
  function octokitApp({ id: appId, ...app }: CreatedApp): App {
    const { clientId, clientSecret, privateKey, webhookSecret } = app;
    const Client = Octokit.defaults({
      baseUrl: `${service.server.url}/api/v3`,
      log: quiet,
      retry: { enabled: false },
      throttle: { enabled: false },
    });
    const webhooks = { secret: webhookSecret };
    const oauth = { clientId, clientSecret };
    return new App({ appId, privateKey, oauth, webhooks, log: quiet, Octokit: Client });
  }

  async function sendTo(app: App, url: string): Promise<void> {
    // The method of the interface takes a member `url` for the URL of the request.
    const data = { url, content_type: 'json' };
    await app.octokit.request('PATCH /app/hook/config', { data });
  }

  /** What Probot reads from its environment. */
  function environmentOf({ id, privateKey, webhookSecret }: CreatedApp): Record<string, string> {
    const { host, protocol } = new URL(service.server.url);
    return {
      APP_ID: String(id),
      PRIVATE_KEY: privateKey,
      WEBHOOK_SECRET: webhookSecret,
      GHE_HOST: host,
      GHE_PROTOCOL: protocol.slice(0, -1),
      LOG_LEVEL: 'error',
    };
  }

  async function open(name: string, branch: string): Promise<ApiResponse['body']> {
    const repository = `/repos/${fullName(name)}`;
    const { body: main } = await api('GET', `${repository}/git/ref/heads/main`);
    const ref = { ref: `refs/heads/${branch}`, sha: main.object.sha };
    assert.equal((await api('POST', `${repository}/git/refs`, ref)).status, 201);
    const file = { message: branch, content: 'bmV3Cg==', branch };
    assert.equal((await api('PUT', `${repository}/contents/${branch}.txt`, file)).status, 201);
    const pull = { title: branch, head: branch, base: 'main' };
    const opened = await api('POST', `${repository}/pulls`, pull);
    assert.equal(opened.status, 201, JSON.stringify(opened.body));
    return opened.body;
  }

  /** A repository whose main branch requires the check of the App; a pull from before its installation cannot be merged. */
  async function guarded(name: string, { id, slug }: CreatedApp, context: string): Promise<void> {
    const { server } = service;
    const { login } = server;
    const repository = `/repos/${fullName(name)}`;
    assert.equal((await api('POST', '/user/repos', { name, auto_init: true })).status, 201);
    const { number, head } = await open(name, 'before');
    await server.admin('install-app', slug, login, '--repositories', name);
    const rules = await api('PUT', `${repository}/branches/main/protection`, {
      required_status_checks: { strict: false, checks: [{ context, app_id: id }] },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    assert.equal(rules.status, 200, JSON.stringify(rules.body));
    // A status of this context by another user does not open the gate.
    const status = { state: 'success', context };
    assert.equal((await api('POST', `${repository}/statuses/${head.sha}`, status)).status, 201);
    const refused = await api('PUT', `${repository}/pulls/${number}/merge`, {});
    assert.equal(refused.status, 405, JSON.stringify(refused.body));
    assert.match(refused.body.message, new RegExp(`"${context}" is expected`));
  }

  /** Opens a pull, waits for the check of the App, and merges. */
  async function passes(name: string, app: CreatedApp, context: string): Promise<void> {
    const repository = `/repos/${fullName(name)}`;
    const { number, head } = await open(name, 'after');
    const path = `${repository}/commits/${head.sha}/check-runs?app_id=${app.id}`;
    const run = await until(async () => {
      const { body } = await api('GET', path);
      return body.check_runs.find((each: { status: string }) => each.status === 'completed');
    }, patient).catch(async (error: unknown) => {
      const { data } = await octokitApp(app).octokit.rest.apps.listWebhookDeliveries();
      throw new Error(`no check: ${JSON.stringify(data, null, 1)}`, { cause: error });
    });
    assert.deepEqual(
      [run.name, run.conclusion, run.app.slug, run.pull_requests[0].number],
      [context, 'success', app.slug, number],
    );
    const merged = await api('PUT', `${repository}/pulls/${number}/merge`, {});
    assert.equal(merged.status, 200, JSON.stringify(merged.body));
  }

  test('Octokit with @octokit/webhooks, by HTTP', async () => {
    const created = await createApp('Octo');
    const app = octokitApp(created);
    app.webhooks.on('check_suite.requested', async ({ octokit, payload }) => {
      const { check_suite: suite, repository } = payload;
      await octokit.rest.checks.create({
        owner: repository.owner?.login ?? '',
        repo: repository.name,
        name: 'octo',
        head_sha: suite.head_sha,
        conclusion: 'success',
      });
    });
    const middleware = createNodeMiddleware(app);
    const server = createServer((request, response) => {
      middleware(request, response).catch(() => response.destroy());
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    await sendTo(app, `http://127.0.0.1:${address.port}/api/github/webhooks`);
    await guarded('octo', created, 'octo');
    await passes('octo', created, 'octo');
  });

  test('Probot, by HTTP', async () => {
    const created = await createApp('Probot HTTP');
    const child = spawn(process.execPath, [join(folder, 'server.mjs')], {
      cwd: folder,
      env: { ...process.env, ...environmentOf(created) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    endWithThisProcess(child);
    let port: string | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      port = /listening on (\d+)/.exec(line)?.[1];
      if (port !== undefined) break;
    }
    assert.ok(port, 'Probot listens');
    await sendTo(octokitApp(created), `http://127.0.0.1:${port}/api/github/webhooks`);
    await guarded('probot-http', created, 'bot');
    await passes('probot-http', created, 'bot');
  });

  test('Probot by its Lambda adapter: in a function, by its URL, then by its ARN', async () => {
    const created = await createApp('Probot Lambda');
    const app = octokitApp(created);
    const files = await filesOfPackage('@probot/adapter-aws-lambda-serverless');
    await service.create(
      'probot',
      { ...files, 'index.mjs': functionProgram, 'bot.mjs': botProgram },
      { Environment: { Variables: environmentOf(created) }, Timeout: 60, MemorySize: 512 },
    );
    await sendTo(app, await openUrl(service.client, 'probot'));
    await guarded('probot-url', created, 'bot');
    await passes('probot-url', created, 'bot');

    const arn = 'arn:aws:lambda:us-east-1:123456789012:function:probot';
    await assert.rejects(
      sendTo(app, arn),
      /--source-arn arn:aws:codecommit:.*:apps\/probot-lambda/,
    );
    await service.client.send(
      new AddPermissionCommand({
        FunctionName: 'probot',
        StatementId: 'app',
        Action: 'lambda:InvokeFunction',
        Principal: 'codecommit.amazonaws.com',
        SourceArn: 'arn:aws:codecommit:us-east-1:123456789012:apps/probot-lambda',
      }),
    );
    await sendTo(app, arn);
    await guarded('probot-arn', created, 'bot');
    await passes('probot-arn', created, 'bot');
    const { data } = await app.octokit.rest.apps.listWebhookDeliveries();
    const opened = data.find(({ event }) => event === 'pull_request');
    assert.equal(opened?.status_code, 202, 'it was enqueued');
  });

  test('danger, whose report is a comment and a status', async () => {
    const name = 'danger';
    const repository = `/repos/${fullName(name)}`;
    assert.equal((await api('POST', '/user/repos', { name, auto_init: true })).status, 201);
    const { number, head } = await open(name, 'after');
    const dangerfile = join(folder, 'dangerfile.js');
    const rule = `
      const { title, number } = danger.github.pr;
      if (!danger.git.created_files.includes('after.txt')) fail('after.txt is missing');
      message('Danger has read ' + title + ' (' + number + ')');`;
    await writeFile(dangerfile, rule);
    const program = join(
      rootFolder,
      'node_modules',
      'danger',
      'distribution',
      'commands',
      'danger.js',
    );
    await promisify(execFile)(process.execPath, [program, 'ci', '--dangerfile', dangerfile], {
      cwd: folder,
      env: {
        ...process.env,
        DANGER_FAKE_CI: 'YEP',
        DANGER_TEST_REPO: fullName(name),
        DANGER_TEST_PR: String(number),
        DANGER_GITHUB_API_TOKEN: service.server.token,
        DANGER_GITHUB_API_BASE_URL: `${service.server.url}/api/v3`,
      },
    });
    const { body: comments } = await api('GET', `${repository}/issues/${number}/comments`);
    assert.equal(comments.length, 1);
    assert.match(comments[0].body, /Danger has read after/);
    const { body: combined } = await api('GET', `${repository}/commits/${head.sha}/status`);
    assert.equal(combined.state, 'success', comments[0].body);
  });
});
