/** Takes the pictures of README.md of a server with the data of `npm run dev`, at a fixed time. Needs Chromium. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import {
  LambdaClient,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';
import type { Browser, Page } from 'playwright-core';

import { findChromium, startChromium } from '#web/testing/chromium.ts';

import { accessKey, apiOf, seed, type Seeded } from './seed.ts';

const projectFolder = join(import.meta.dirname, '..');
const picturesFolder = join(projectFolder, 'docs/pictures');
const now = '2026-01-15T10:00:00Z';
const account = {
  login: 'root',
  password: 'for-pictures-only',
  token: 'a-known-token-for-pictures',
};

const attemptsMax = 100;

const chromium = findChromium();
if (chromium === undefined) {
  process.stderr.write('The pictures need Chromium: apt-get install chromium\n');
  process.exitCode = 1;
} else {
  await writePictures(chromium);
}

async function writePictures(executable: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-pictures-'));
  const server = spawn(
    process.execPath,
    [join(projectFolder, 'hob.ts'), 'serve', '--test-controls', '--port', '0', '--data', folder],
    {
      cwd: projectFolder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        HOB_ADMIN_LOGIN: account.login,
        HOB_ADMIN_PASSWORD: account.password,
        HOB_ADMIN_TOKEN: account.token,
        HOB_ACCESS_KEY_ID: accessKey.accessKeyId,
        HOB_SECRET_ACCESS_KEY: accessKey.secretAccessKey,
      },
    },
  );
  let browser: Browser | undefined;
  try {
    const url = await readyUrl(createInterface({ input: server.stdout }));
    await prepare({ url, ...account });
    browser = await startChromium(executable);
    const page = await browser.newPage({ baseURL: url, viewport: { width: 1120, height: 960 } });
    await signIn(page);
    await mkdir(picturesFolder, { recursive: true });
    await take(page, '/acme/website/pull/2', 'pull.png', 'No conflicts with');
    await take(page, '/-/functions/greet', 'function.png', 'Last update failed');
  } finally {
    await browser?.close();
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 30 });
  }
}

async function readyUrl(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const url = /(https?:\/\/[^\s/]+)/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('The server ended before it was ready.');
}

/** The data at a time that stands still, and an update of a function that fails. */
async function prepare(server: Seeded): Promise<void> {
  const response = await fetch(`${server.url}/-/test/clock`, {
    method: 'PUT',
    headers: { authorization: `token ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ now, running: true }),
  });
  if (!response.ok) throw new Error(`The clock was not set: ${await response.text()}`);
  // Commits have the time of the pictures.
  process.env['GIT_AUTHOR_DATE'] = process.env['GIT_COMMITTER_DATE'] = '2026-01-14T09:00:00Z';
  await seed(server);
  // Who takes the pictures may merge.
  const root = apiOf(server.url, server.token);
  const { token } = await root('POST', '/admin/users/alice/authorizations', { scopes: ['repo'] });
  const alice = apiOf(server.url, token);
  const { id } = await alice('PUT', `/repos/acme/website/collaborators/${server.login}`);
  await root('PATCH', `/user/repository_invitations/${id}`);
  const client = new LambdaClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: accessKey,
  });
  try {
    const FunctionName = 'greet';
    const update = { FunctionName, MemorySize: 256, Handler: 'index.welcome' };
    await client.send(new UpdateFunctionConfigurationCommand(update));
    // Rejects, because the update fails.
    await waitUntilFunctionUpdatedV2({ client, maxWaitTime: 60 }, { FunctionName }).catch(() => {});
  } finally {
    client.destroy();
  }
}

async function signIn(page: Page): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('Login or e-mail address').fill(account.login);
  await page.getByLabel('Password').fill(account.password);
  const loaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await loaded;
}

/** Once the page shows this text: what is found out in the background is there when it is asked for again. */
async function take(page: Page, path: string, name: string, text: string): Promise<void> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const response = await page.goto(path, { waitUntil: 'load' });
    if (response?.status() !== 200) throw new Error(`${path} answered ${response?.status()}.`);
    if ((await page.locator('main', { hasText: text }).count()) === 0) continue;
    await page.screenshot({ path: join(picturesFolder, name) });
    process.stdout.write(`docs/pictures/${name}\n`);
    return;
  }
  throw new Error(`${path} does not show "${text}".`);
}
