/** docs/push-to-status.md, played as its readers do who have installed the npm package: its commands in their order, in one shell. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { endWithThisProcess } from './child-processes.ts';
import { isMissing } from './documented-example.ts';
import { installPacked, userEnvironment } from './installed-package.ts';
import { rootFolder } from './running-server.ts';

const run = promisify(execFile);

/** Stand for what readers have of their own. */
const placeholders = { baseUrl: 'http://127.0.0.1:3000', token: 'hob_…' };

interface Block {
  readonly section: string;
  readonly language: string;
  readonly code: string;
}

describe('docs/push-to-status.md', { timeout: 300_000, skip: isMissing('zip', '-v') }, () => {
  let project: string;
  let environment: Record<string, string | undefined>;
  let url = '';
  let output = '';
  let stop: () => Promise<void> = async () => {};
  before(async () => {
    project = await installPacked(userEnvironment());
    const home = join(project, 'home');
    await mkdir(home);
    environment = {
      ...userEnvironment(),
      PATH: `${join(project, 'node_modules/.bin')}:${process.env['PATH']}`,
      HOME: home,
      HOB_DATA: join(project, 'data'),
      GIT_AUTHOR_NAME: 'Reader',
      GIT_AUTHOR_EMAIL: 'reader@example.test',
      GIT_COMMITTER_NAME: 'Reader',
      GIT_COMMITTER_EMAIL: 'reader@example.test',
    };
    // As the page says it, but on a free port.
    const child = spawn('hob', ['serve'], {
      cwd: project,
      env: { ...environment, HOB_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    endWithThisProcess(child);
    const ended = once(child, 'exit');
    stop = async () => {
      child.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
    };
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      output += `${line}\n`;
      if (line === 'Try it:') break;
    }
    url = printed('Hob is ready at (\\S+)');
    const keys = [printed('access key {2,}(\\S+)'), printed('secret access key {2,}(\\S+)')];
    const [id = '', secret = ''] = keys;
    await run('hob', ['functions', 'configure', '--endpoint-url', url], {
      cwd: project,
      env: { ...environment, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret },
    });
  });
  after(async () => {
    await stop();
    await rm(project, { recursive: true, force: true });
  });

  function printed(pattern: string): string {
    const [, value] = new RegExp(pattern).exec(output) ?? [];
    return value ?? assert.fail(`the start has not printed ${pattern}: ${output}`);
  }

  it('leads to a status and a merge, by URL and by ARN', async () => {
    const blocks = await blocksOf('docs/push-to-status.md');
    const [begin, , ...ofUrl] = blocks.filter(({ section }) => section === 'With a function URL');
    assert.equal(begin?.code, 'hob serve\nhob functions configure\n');
    const [exports] = blocks.filter(({ code }) => code.startsWith('export HOB='));
    const [handler, ...steps] = ofUrl;
    assert.equal(handler?.language, 'js');
    const [admit, hook] = blocks.filter(({ section }) => section === 'With the ARN of a function');
    const [createApp] = blocks.filter(({ section }) => section.startsWith('With a GitHub App'));
    assert.ok(exports && admit && hook && createApp);
    const push = steps.at(-2)?.code ?? '';
    assert.match(push, /^git clone/);

    const script = [
      withValues(exports.code),
      `cat > index.mjs <<'CODE'\n${handler.code}CODE\n`,
      ...steps.slice(0, -2).map(({ code }) => code),
      // Readers look at the status before they go on.
      push.replace(/^(api \S+\/status)$/m, 'until $1 | grep -q \'"state": "success"\'; do :; done'),
      'echo "allowed: $(',
      steps.at(-1)?.code.trimEnd(),
      ')"',
      // What the page says of a FIXME.
      "git switch -c second && git commit --allow-empty -m 'FIXME later' && git push origin second",
      'until api $HOB/api/v3/repos/$OWNER/$REPO/commits/second/status | grep -q \'"state": "failure"\'; do :; done',
      'api $HOB/api/v3/repos/$OWNER/$REPO/pulls -d \'{"title": "Second", "head": "second", "base": "main"}\'',
      'api -X PUT $HOB/api/v3/repos/$OWNER/$REPO/pulls/2/merge || echo refused',
      // By ARN alone.
      'api -X DELETE $HOB/api/v3/repos/$OWNER/$REPO/hooks/1',
      `(${hook.code}) || echo "not admitted"`,
      admit.code,
      hook.code,
      "git switch -c third && git commit --allow-empty -m 'Third' && git push origin third",
      'until api $HOB/api/v3/repos/$OWNER/$REPO/commits/third/status | grep -q \'"state": "success"\'; do :; done',
      createApp.code.replaceAll('OWNER', 'root').replace('REPO', 'hello').replace('URL', '$ARN'),
    ].join('\n');
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: project,
      env: environment,
      maxBuffer: 16 * 1024 ** 2,
    }).catch((error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`, { cause: error });
    });
    assert.match(stdout, /"merged": true/);
    assert.match(stdout, /"allow_auto_merge": true/);
    assert.match(stdout, /Required status check \\"gate\\" is failing\.[^]*refused\n/);
    assert.match(stdout, /aws lambda add-permission [^]*not admitted\n/);
    assert.match(stdout, /PRIVATE KEY/);
  });

  function withValues(code: string): string {
    assert.ok(code.includes(placeholders.baseUrl) && code.includes(placeholders.token), code);
    return code
      .replace(placeholders.baseUrl, url)
      .replace(placeholders.token, printed('token {2,}(\\S+)'));
  }
});

/** Every block of code of a page, without the indentation that it has in a list. */
async function blocksOf(page: string): Promise<readonly Block[]> {
  const text = await readFile(join(rootFolder, page), 'utf8');
  let section = '';
  const blocks: Block[] = [];
  for (const [, heading, indent = '', language = '', code = ''] of text.matchAll(
    /^##+ (.+)$|^( *)```(\w+)\n([^]*?)^ *```$/gm,
  )) {
    if (heading === undefined) {
      blocks.push({ section, language, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), '') });
    } else section = heading;
  }
  return blocks;
}
