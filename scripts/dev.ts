/** `npm run dev`: a server on seeded data that restarts when a source file changes. `--fresh` begins with new data. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { accessKey, seed, type Seeded } from './seed.ts';

const projectFolder = join(import.meta.dirname, '..');
const dataFolder = join(projectFolder, '.hob/dev');
const port = Number(process.env['HOB_PORT'] ?? 3000);
const seeded: Seeded = {
  url: `http://127.0.0.1:${port}`,
  login: 'root',
  password: 'development-only',
  token: 'a-known-token-for-development',
};

process.exitCode = await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<number> {
  if (args.includes('--fresh')) await rm(dataFolder, { recursive: true, force: true });
  const server = spawn(
    process.execPath,
    [
      '--watch',
      '--watch-preserve-output',
      join(projectFolder, 'hob.ts'),
      'serve',
      '--port',
      String(port),
      '--data',
      dataFolder,
      ...args.filter((arg) => arg !== '--fresh'),
    ],
    {
      cwd: projectFolder,
      stdio: 'inherit',
      env: {
        ...process.env,
        HOB_ADMIN_LOGIN: seeded.login,
        HOB_ADMIN_PASSWORD: seeded.password,
        HOB_ADMIN_TOKEN: seeded.token,
        HOB_ACCESS_KEY_ID: accessKey.accessKeyId,
        HOB_SECRET_ACCESS_KEY: accessKey.secretAccessKey,
        HOB_WEBHOOK_PRIVATE_TARGETS: 'on',
      },
    },
  );
  const ended = once(server, 'exit');
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => server.kill(signal));
  const failure = await Promise.race([seedOnceReady(), ended.then(() => undefined)]).catch(
    (error: unknown) => error,
  );
  if (failure !== undefined) {
    server.kill('SIGTERM');
    await ended;
    throw failure;
  }
  const [status] = await ended;
  return typeof status === 'number' ? status : 0;
}

async function seedOnceReady(): Promise<undefined> {
  for (let attempt = 0; !(await isReady()); attempt += 1) {
    if (attempt === 300) throw new Error(`${seeded.url}/readyz did not answer 200 in 30 s.`);
    await delay(100);
  }
  const created = await seed(seeded);
  process.stdout.write(
    `${created ? 'Seeded' : 'Found'} the development data. Sign in at ${seeded.url}/login as ${seeded.login} with "${seeded.password}", ` +
      `or send "Authorization: token ${seeded.token}".\n`,
  );
  return undefined;
}

function isReady(): Promise<boolean> {
  return fetch(`${seeded.url}/readyz`).then(
    (response) => response.ok,
    () => false,
  );
}
