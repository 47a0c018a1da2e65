import assert from 'node:assert/strict';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import type { Browser } from 'playwright-core';

import { zipOf } from '#functions/code/testing/zip-of.ts';
import { findChromium, startChromium } from '#web/testing/chromium.ts';

import { git, remoteUrl } from '../git-client.ts';
import { api as apiOf, type ApiResponse } from '../push-to-status.ts';
import { removeFolder, type RunningServer, startServer } from '../running-server.ts';
import { Person } from './person.ts';

const chromium = findChromium();
const skip = chromium === undefined && 'no Chromium is installed (apt-get install chromium)';
/** Of one life: half a minute where nothing else runs. */
const timeout = 300_000;
const patience = 30_000;

const reviewer = { login: 'grace', password: 'a password of grace' };

/** By the mouse with scripts, and by the keyboard alone without. */
const ways = [
  { by: 'mouse', javaScriptEnabled: true },
  { by: 'keyboard', javaScriptEnabled: false },
] as const;

describe('whole lives in a browser', { skip }, () => {
  let folder: string;
  let server: RunningServer;
  let browser: Browser;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-lives-'));
    server = await startServer(join(folder, 'data'), {
      environment: { HOB_FUNCTION_UPDATE_MS: '0' },
    });
    await server.admin('create-user', reviewer.login, '--password', reviewer.password);
    browser = await startChromium(chromium ?? '');
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await removeFolder(folder);
  });

  const api = (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
    apiOf(server, method, path, body);

  async function person(
    { by, javaScriptEnabled }: (typeof ways)[number],
    { login, password }: { readonly login: string; readonly password: string },
  ): Promise<Person> {
    const context = await browser.newContext({ javaScriptEnabled });
    context.setDefaultTimeout(patience);
    return Person.signedIn(context, by, { url: server.url, login, password });
  }

  async function commit(clone: string, branch: string, text: string): Promise<string> {
    await git(clone, 'checkout', '-q', '-B', branch);
    await writeFile(join(clone, 'sum.js'), text);
    await git(clone, 'add', '.');
    await git(clone, 'commit', '-q', '-m', `Change the sum on ${branch}`);
    await git(clone, 'push', '-q', 'origin', branch);
    return git(clone, 'rev-parse', 'HEAD');
  }

  for (const way of ways) {
    test(`of a change, by ${way.by}`, { timeout }, async () => {
      const name = `sum-by-${way.by}`;
      const full = `${server.login}/${name}`;
      const author = await person(way, server);
      const other = await person(way, reviewer);
      try {
        await author.open('/-/new');
        await author.type('Name', name);
        await author.press('Create repository');
        await author.sees(name);

        const clone = join(folder, name);
        await mkdir(clone);
        await git(clone, 'init', '-q');
        const remote = remoteUrl(server.url, server.login, server.token, full);
        await git(clone, 'remote', 'add', 'origin', remote);
        await commit(clone, 'main', 'export const sum = (a, b) => a;\n');
        const broken = await commit(clone, 'topic', 'export const sum = (a, b) => a - b;\n');
        const rules = await api('PUT', `/repos/${full}/branches/main/protection`, {
          required_status_checks: { strict: false, contexts: ['test'] },
          enforce_admins: true,
          required_pull_request_reviews: { required_approving_review_count: 1 },
          restrictions: null,
        });
        assert.equal(rules.status, 200, JSON.stringify(rules.body));
        await api('PUT', `/repos/${full}/collaborators/${reviewer.login}`);
        await other.open('/-/invitations');
        await other.press(`Accept the invitation to ${full}`);

        await author.open(`/${full}/branches`);
        await author.follow('Compare topic');
        await author.type('Title', 'Add the second number');
        await author.press('Open');
        await author.sees('This cannot be merged now');
        const { pathname } = new URL(author.page.url());

        await other.open(pathname);
        await other.followAt('a[href*="?comment="]');
        await other.type('Comment on line', 'This subtracts.');
        await other.press('Add to your review');
        await other.type('Summary, in Markdown', 'Almost.');
        await other.press('Request changes');
        await other.sees('This subtracts.');
        await api('POST', `/repos/${full}/statuses/${broken}`, {
          state: 'failure',
          context: 'test',
          description: '1 of 1 test failed',
        });
        await author.open(pathname);
        await author.sees('1 of 1 check failed');
        await author.sees('This subtracts.');
        await author.press('Merge');
        await author.sees('This cannot be merged now');
        assert.equal((await api('GET', `/repos/${full}/pulls/1`)).body.merged, false);

        const fixed = await commit(clone, 'topic', 'export const sum = (a, b) => a + b;\n');
        await api('POST', `/repos/${full}/statuses/${fixed}`, {
          state: 'success',
          context: 'test',
        });
        await other.open(pathname);
        await other.press('Approve');
        await author.open(pathname);
        await author.sees('The check passed');
        await author.seesNot('This cannot be merged now');
        await author.press('Merge');
        await author.sees('had 2 commits');
        assert.equal((await api('GET', `/repos/${full}/pulls/1`)).body.merged, true);
        await git(clone, 'fetch', '-q', 'origin', 'main');
        assert.match(await git(clone, 'show', 'FETCH_HEAD:sum.js'), /a \+ b/);
      } finally {
        await author.page.context().close();
        await other.page.context().close();
      }
    });

    test(`of a function, by ${way.by}`, { timeout }, async () => {
      const name = `greet-by-${way.by}`;
      const base = `/-/functions/${name}`;
      const developer = await person(way, server);
      try {
        await developer.open('/-/functions');
        await developer.follow('Create function');
        await developer.type('Function name', name);
        await developer.attach(
          'Zip archive',
          'greet.zip',
          zipOf({ 'index.mjs': program('Hello') }),
        );
        await developer.type('Handler', 'index.handler');
        await developer.press('Create function');
        await developer.sees('✓ Active');

        await developer.follow('Configuration');
        await developer.type('Name of new variable 1', 'BROKEN');
        await developer.type('Value of new variable 1', 'yes');
        await developer.press('Show what would change');
        await developer.press('Save');
        await developer.sees('✗ Last update failed');
        await developer.sees('broken on purpose');
        await developer.sees('previous configuration still serves');

        await developer.follow('Configuration');
        await developer.type('Name of variable BROKEN', '');
        await developer.press('Show what would change');
        await developer.press('Save');
        await developer.sees('✓ Active');

        await developer.follow('Versions');
        await developer.press('Publish');
        await developer.follow('Aliases');
        await developer.type('Name', 'live');
        await developer.choose('Version', '1');
        await developer.press('Create alias');
        await developer.follow('Code');
        await developer.attach(
          'Zip archive',
          'new.zip',
          zipOf({ 'index.mjs': program('Welcome') }),
        );
        await developer.press('Upload');
        await developer.sees('✓ Active');

        const log = await developer.anotherTab();
        await log.open(base);
        await log.follow('Logs');
        await log.follow('Follow');
        for (const [qualifier, answer] of [
          ['live', 'Hello, Ada'],
          ['$LATEST', 'Welcome, Ada'],
        ] as const) {
          await developer.follow('Test');
          await developer.choose('Version or alias', qualifier);
          await developer.type('Event (JSON)', '{"name":"Ada"}');
          await developer.press('Test');
          await developer.sees(answer);
          await log.sees(`said ${answer}`);
        }
      } finally {
        await developer.page.context().close();
      }
    });
  }
});

const program = (greeting: string): string => `
  if (process.env.BROKEN) throw new Error('broken on purpose');
  export const handler = async ({ name }) => {
    const answer = '${greeting}, ' + name;
    console.log('said ' + answer);
    return answer;
  };`;
