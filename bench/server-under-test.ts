import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createEd25519KeyPair } from '#forge/ssh-keys/openssh-key-pair.ts';

import { functionEnvironment } from '../scenarios/function-service.ts';
import { remoteUrl } from '../scenarios/git-client.ts';
import { type RunningServer, startServer } from '../scenarios/running-server.ts';

/** The server that is measured, with everything of this run in one folder. */
export const folder: string = await mkdtemp(join(tmpdir(), 'hob-bench-'));
export const server: RunningServer = await startServer(join(folder, 'data'), {
  environment: {
    ...functionEnvironment,
    HOB_RATE_LIMIT_USER: '1000000000',
    HOB_ABUSE_LIMITS: 'off',
    HOB_SSH_PORT: '0',
  },
});

export const headersSent: Record<string, string> = {
  authorization: `token ${server.token}`,
  'user-agent': 'hob-bench',
  accept: 'application/vnd.github.v3+json',
};

export async function removeServerUnderTest(): Promise<void> {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

export function remote(repository: string): string {
  return remoteUrl(server.url, server.login, server.token, `${server.login}/${repository}`);
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
export async function api(
  method: string,
  path: string,
  body?: unknown,
  repository = 'bench',
): Promise<any> {
  const url = `${server.url}/api/v3${path.startsWith('/user') ? path : `/repos/${server.login}/${repository}${path}`}`;
  const response = await fetch(url, {
    method,
    headers: headersSent,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.status === 204 ? undefined : response.json();
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text} …`);
}

/** The address of a repository over SSH, and the settings of git that sign in with a new key. */
export async function prepareSsh(
  repository: string,
): Promise<{ readonly url: string; readonly settings: readonly string[] }> {
  const { publicKey, privateKey } = createEd25519KeyPair('bench');
  const path = join(folder, 'ssh-key');
  await writeFile(path, privateKey, { mode: 0o600 });
  await api('POST', '/user/keys', { key: publicKey });
  const { ssh_url: url } = await api('GET', '', undefined, repository);
  const options = ['BatchMode=yes', 'IdentityAgent=none', 'StrictHostKeyChecking=no'].concat(
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
  );
  const command = ['ssh -F none', `-i ${path}`, ...options.map((option) => `-o ${option}`)];
  return { url, settings: ['-c', `core.sshCommand=${command.join(' ')}`] };
}
