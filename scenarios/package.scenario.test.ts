/** The npm package, installed into an empty project. */
// Runs on SQLite alone: what is installed starts without the settings of the tests, and so with the embedded database.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import {
  CreateFunctionCommand,
  InvokeCommand,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';

import { endpoints } from '#forge/routes.ts';
import type { Operation } from '#functions-contract/operation.ts';

import type * as StartHob from '../start-hob.ts';
import { type Hob, startHob } from '../start-hob.ts';
import { endWithThisProcess } from './child-processes.ts';
import { documentedExample, isMissing } from './documented-example.ts';
import { clientOf, functionEnvironment, functionOf } from './function-service.ts';
import { installPacked, userEnvironment } from './installed-package.ts';
import { rootFolder } from './running-server.ts';

const run = promisify(execFile);

describe('the npm package', { timeout: 300_000 }, () => {
  let project: string;
  const environment = userEnvironment();
  before(async () => {
    project = await installPacked(environment);
  });
  after(() => rm(project, { recursive: true, force: true }));

  it('serves by npx', async () => {
    const child = spawn(
      'npx',
      ['--no-install', 'hob', 'serve', '--ephemeral', '--port', '0', '--stop-at-eof'],
      {
        cwd: project,
        env: {
          ...environment,
          ...functionEnvironment,
          HOB_ADMIN_TOKEN: 'a-token-of-a-scenario-only',
          HOB_SSH_PORT: '0',
        },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    endWithThisProcess(child);
    const ended = once(child, 'exit');
    let url: string | undefined;
    for await (const line of createInterface(child.stdout)) {
      url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      if (url !== undefined) break;
    }
    assert.ok(url);
    const headers = { authorization: 'token a-token-of-a-scenario-only', 'user-agent': 'hob-test' };
    const body = JSON.stringify({ name: 'r', auto_init: true });
    const created = await fetch(`${url}/api/v3/user/repos`, { method: 'POST', headers, body });
    assert.equal(created.status, 201);
    const page = await fetch(`${url}/root/r`);
    const [, style = ''] = /<link[^>]* href="([^"]+\.css[^"]*)"/.exec(await page.text()) ?? [];
    assert.equal((await fetch(new URL(style, url))).status, 200, style);
    // Its library is loaded from where npm has installed it.
    const { ssh_url: sshUrl } = JSON.parse(await created.text());
    assert.match(await firstLineFrom(Number(new URL(sshUrl).port)), /^SSH-2\.0-Hob/);
    // A thread renders it, whose program is a file of the package.
    const long = Buffer.from('# long\n'.repeat(10_000)).toString('base64');
    const file = await fetch(`${url}/api/v3/repos/root/r/contents/long.md`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ message: 'long', content: long }),
    });
    assert.equal(file.status, 201);
    const shown = await (await fetch(`${url}/root/r/blob/main/long.md`)).text();
    assert.equal(shown.split('<h1 id="user-content-long').length, 10_001);
    assert.equal(await answerOfFunction(url), '"answer"');
    child.stdin.end();
    assert.deepEqual(await ended, [0, null]);
  });

  // The package has changed code of the framework and of its router (scripts/package-changes.ts).
  it('answers every route as a clone does', async () => {
    const { startHob: startPackaged }: typeof StartHob = await import(
      join(project, 'node_modules/hob/dist/hob/start-hob.js')
    );
    const settings = { HOB_ABUSE_LIMITS: 'off' };
    await using packaged = await startPackaged({ settings });
    await using cloned = await startHob({ settings });
    const differences: string[] = [];
    for (const [method, path] of await everyRoute()) {
      const [one, other] = await Promise.all([
        outlineOf(packaged, method, path),
        outlineOf(cloned, method, path),
      ]);
      if (one !== other) differences.push(`${method} ${path}: ${one}, in a clone ${other}`);
    }
    assert.deepEqual(differences, []);
  });

  it('starts servers for test files, with types', async () => {
    await writeExamples(project, ['seed.yaml', ...testFiles]);
    await copyFile(controlsOf, join(project, 'controls.test.mjs'));
    const { stdout } = await run(process.execPath, ['--test', ...testFiles, 'controls.test.mjs'], {
      cwd: project,
      env: environment,
    });
    assert.match(stdout, /pass 13\b/);
    await writeFile(join(project, 'typed.ts'), typedUse);
    const compiler = join(rootFolder, 'node_modules/typescript/bin/tsc');
    const types = ['--typeRoots', join(rootFolder, 'node_modules/@types'), '--types', 'node'];
    const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext'];
    await run(process.execPath, [compiler, ...options, ...types, 'typed.ts'], { cwd: project });
  });

  /** In a folder of its own. Resolves with what Vitest reports. */
  const runVitest = async (folder: string): Promise<string> => {
    const program = join(rootFolder, 'node_modules/vitest/vitest.mjs');
    // The defaults of Vitest are too short for a busy machine.
    const patience = ['--testTimeout=60000', '--hookTimeout=60000', '--no-file-parallelism'];
    const { stdout } = await run(process.execPath, [program, 'run', ...patience], {
      cwd: folder,
      env: { ...environment, NO_COLOR: '1' },
    });
    return stdout;
  };

  it('starts servers for test files of Vitest', async () => {
    const folder = join(project, 'vitest');
    await mkdir(folder);
    await writeExamples(folder, ['seed.yaml']);
    const imports = /^import .* from 'node:test';$/m;
    for (const file of [...testFiles, 'controls.test.mjs']) {
      const example = testFiles.includes(file)
        ? await documentedExample(file)
        : await readFile(controlsOf, 'utf8');
      assert.match(example, imports);
      await writeFile(join(folder, file), example.replace(imports, await vitestImport()));
    }
    assert.match(await runVitest(folder), /Tests +13 passed/);
  });

  it(
    'starts a server in the global set-up of Jest',
    { skip: isMissing('jest', '--version') },
    async () => {
      for (const type of ['module', 'commonjs']) {
        const folder = join(project, `jest-${type}`);
        await mkdir(folder);
        await writeExamples(folder, jestFiles);
        await writeFile(join(folder, 'package.json'), JSON.stringify({ type }));
        const patience = ['--testTimeout=60000', '--ci'];
        const { stderr } = await run('jest', patience, { cwd: folder, env: environment });
        assert.match(stderr, /Tests: +2 passed, 2 total/);
      }
    },
  );

  // Where Jest is not installed (docs/decisions/0007). Vitest has its globals, and takes a set-up and its teardown as one module.
  it('starts a server in a global set-up as Jest has it', async () => {
    const folder = join(project, 'jest');
    await mkdir(folder);
    await writeExamples(folder, jestFiles);
    const { default: config } = await import(join(folder, 'jest.config.mjs'));
    await writeFile(
      join(folder, 'set-up-and-teardown.mjs'),
      `export { default as setup } from '${config.globalSetup}';
       export { default as teardown } from '${config.globalTeardown}';`,
    );
    const test = { globals: true, globalSetup: './set-up-and-teardown.mjs' };
    await writeFile(
      join(folder, 'vitest.config.mjs'),
      `export default ${JSON.stringify({ test })};\n`,
    );
    assert.match(await runVitest(folder), /Tests +2 passed/);
  });
});

const jestFiles = ['global-setup.mjs', 'global-teardown.mjs', 'jest.config.mjs', 'notes.test.js'];
const controlsOf = join(rootFolder, 'examples/testing/controls.test.mjs');
const testFiles = ['bot.test.mjs', 'stale.test.mjs', 'deploy.test.mjs'];

/** What only reads comes first, so that it finds what is there. */
async function everyRoute(): Promise<readonly (readonly [method: string, path: string])[]> {
  const ofForge = endpoints.flatMap(({ declaration: { method, path, paths } }) =>
    (paths ?? [path, `/api/v3${path}`]).map((each) => [method, each] as const),
  );
  const ofFunctions = (await everyOperation()).map(({ method, path }) => [method, path] as const);
  const asked = [...pages.map((path) => ['GET', path] as const), ...ofForge, ...ofFunctions];
  const written = asked.map(([method, path]) => [method, withValues(path)] as const);
  return [
    ['POST', '/api/v3/user/repos'],
    ...written.filter(([method]) => method === 'GET'),
    ...written.flatMap(([method, path]) => (method === 'GET' ? [['HEAD', path] as const] : [])),
    ...written.filter(([method]) => method !== 'GET'),
    ['PROPFIND', '/api/v3/user'],
  ];
}

async function everyOperation(): Promise<readonly Operation[]> {
  const files = await readdir(join(rootFolder, 'functions-contract/operations'));
  const modules = files.map(
    (name): Promise<Readonly<Record<string, unknown>>> =>
      import(join(rootFolder, 'functions-contract/operations', name)),
  );
  return (await Promise.all(modules)).flatMap((module) =>
    Object.values(module).filter(isOperation),
  );
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}

const pages = `
  / /login /docs/rest /settings/tokens /-/functions /nobody /a/b/c/d /%
  /root/r /root/r/pulls /root/r/pulls/1 /root/r/issues /root/r/commits/main /root/r/blob/main/README.md /root/r/nothing
  /root/r.git/info/refs?service=git-upload-pack /root/r/info/lfs/locks /root.keys
  /healthz /readyz /metrics /favicon.ico /lambda-url/unknown/ /-/test/
`
  .trim()
  .split(/\s+/);

function withValues(path: string): string {
  return path
    .replaceAll(/[:{](\w+)\}?/g, (_parameter, name: string) => {
      if (/(?:_id|_number)$/.test(name)) return '1';
      return (
        { repo: 'r', branch: 'main', ref: 'main', sha: 'main', range: 'main...main' }[name] ??
        'root'
      );
    })
    .replace('*', 'README.md');
}

/** What no two servers have in common is left out: times, tokens, and ids of commits. */
async function outlineOf(hob: Hob, method: string, path: string): Promise<string> {
  const response = await fetch(hob.url + path, {
    method,
    redirect: 'manual',
    headers: { authorization: `token ${hob.token}`, 'user-agent': 'hob-test' },
    ...(path === '/api/v3/user/repos' && method === 'POST' ? { body: newRepository } : {}),
  });
  const text = await response.text();
  // Statistics, which are computed meanwhile.
  if (method === 'GET' && response.status === 202) return outlineOf(hob, method, path);
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
  const members = typeof parsed === 'object' && parsed !== null ? Object.keys(parsed) : [];
  return [response.status, [...response.headers.keys()], members].join(' ');
}

const newRepository = JSON.stringify({ name: 'r', auto_init: true });

async function writeExamples(folder: string, files: readonly string[]): Promise<void> {
  for (const file of files) await writeFile(join(folder, file), await documentedExample(file));
}

/** What a new function answers. */
async function answerOfFunction(url: string): Promise<string> {
  const client = clientOf(url);
  try {
    const FunctionName = 'packaged';
    const files = { 'index.mjs': `export const handler = async () => 'answer';` };
    await client.send(new CreateFunctionCommand(functionOf(FunctionName, files)));
    await waitUntilFunctionActiveV2({ client, maxWaitTime: 60, minDelay: 0.05 }, { FunctionName });
    const { Payload } = await client.send(new InvokeCommand({ FunctionName }));
    return Buffer.from(Payload ?? []).toString();
  } finally {
    client.destroy();
  }
}

/** The line of docs/testing-with-hob.md that takes the place of the import of `node:test`. */
async function vitestImport(): Promise<string> {
  const page = await readFile(join(rootFolder, 'docs/testing-with-hob.md'), 'utf8');
  return /`(import [^`]* from 'vitest')`/.exec(page)?.[1] ?? assert.fail('no import of Vitest');
}

const typedUse = `
import { startHob, type Hob } from 'hob';
await using hob: Hob = await startHob();
const url: string = hob.apiUrl;
// @ts-expect-error: there is no such option
await startHob({ port: url });
`;

async function firstLineFrom(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const [bytes] = await once(socket, 'data');
  socket.destroy();
  return String(bytes);
}
