import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { SshCommandRecord } from '../ports/ssh-port.ts';
import type { ForgeSettings } from '../ports/ports.ts';
import { openHostKeys } from '../ssh/host-keys.ts';
import { type OpenSshPort, openSshPort } from '../ssh/open-ssh-port.ts';
import { gitClientEnvironment } from './git-client.ts';
import { makeSshKey } from './ssh-keys.ts';
import { startTestForge, type TestForge, type TestUser } from './test-forge.ts';

/** Why tests with OpenSSH's client do not run; false where it is installed. */
export const withoutOpenSsh: string | false =
  spawnSync('ssh', ['-V']).status === 0 && spawnSync('ssh-keygen', ['-?']).error === undefined
    ? false
    : 'OpenSSH is not installed: apt-get install openssh-client';

/** A key in a file, as OpenSSH's client uses it. */
export interface KeyFile {
  readonly path: string;
  readonly publicKey: string;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SshForge {
  readonly forge: TestForge;
  readonly folder: string;
  readonly port: OpenSshPort;
  /** What the access log gets of the next command in this repository that ends; without a repository, of what is not git. */
  nextCommand(repository: string | undefined): Promise<SshCommandRecord>;
  keyFile(pair?: { readonly publicKey: string; readonly privateKey: string }): Promise<KeyFile>;
  /** A key that the user has added. */
  keyOf(user: TestUser): Promise<KeyFile>;
  /** The URL of a repository for git. */
  remote(fullName: string): string;
  git(where: string, key: KeyFile, ...words: string[]): Promise<Ran>;
  /** Fails where git fails. */
  mustGit(where: string, key: KeyFile, ...words: string[]): Promise<string>;
  /** With the host as `git@127.0.0.1`. */
  ssh(key: KeyFile, ...words: string[]): Promise<Ran>;
  /** Gives the port up. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** A forge with git over SSH on a free port, and OpenSSH's client without the machine's configuration. */
export async function startSshForge(
  overrides: Partial<ForgeSettings> = {},
  { countsLoopback = false }: { readonly countsLoopback?: boolean } = {},
): Promise<SshForge> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-ssh-'));
  const hostKeys = await openHostKeys(join(folder, 'host-keys'));
  const sharedAddresses = new BlockList();
  if (!countsLoopback) sharedAddresses.addAddress('127.0.0.1');
  const ssh = await openSshPort('127.0.0.1', 0, { hostKeys, sharedAddresses });
  let onCommand: (command: SshCommandRecord) => void = () => {};
  ssh.observeWith((command) => onCommand(command));
  const forge = await startTestForge({ sshPort: ssh.port, ...overrides }, { ssh });
  const knownHosts = join(folder, 'known_hosts');
  const host = `[127.0.0.1]:${ssh.port}`;
  await writeFile(knownHosts, hostKeys.map(({ publicKey }) => `${host} ${publicKey}\n`).join(''));
  const optionsOf = ({ path }: KeyFile): string[] => [
    '-F',
    'none',
    '-i',
    path,
    ...[
      'BatchMode=yes',
      'IdentitiesOnly=yes',
      'IdentityAgent=none',
      'StrictHostKeyChecking=yes',
      `UserKnownHostsFile=${knownHosts}`,
      'GlobalKnownHostsFile=/dev/null',
    ].flatMap((option) => ['-o', option]),
  ];
  let serial = 0;
  const run = (
    file: string,
    words: readonly string[],
    environment: Record<string, string | undefined>,
    where: string,
  ): Promise<Ran> =>
    new Promise((resolve) => {
      const options = { cwd: where, env: environment, maxBuffer: 2 ** 26 };
      const child = execFile(file, words, options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      );
      child.stdin?.end();
    });
  const keyFile: SshForge['keyFile'] = async (pair = makeSshKey()) => {
    serial += 1;
    const path = join(folder, `key-${serial}`);
    await writeFile(path, pair.privateKey, { mode: 0o600 });
    return { path, publicKey: pair.publicKey };
  };
  const git: SshForge['git'] = (where, key, ...words) => {
    const command = ['ssh', ...optionsOf(key)].join(' ');
    return run('git', words, { ...gitClientEnvironment(folder), GIT_SSH_COMMAND: command }, where);
  };
  return {
    forge,
    folder,
    port: ssh,
    nextCommand: (repository) =>
      new Promise((resolve) => {
        onCommand = (command) => {
          if (command.repository === repository) resolve(command);
        };
      }),
    keyFile,
    async keyOf(user) {
      const key = await keyFile();
      const { status, text } = await user.post('/user/keys', { key: key.publicKey });
      assert.equal(status, 201, text);
      return key;
    },
    remote: (fullName) => `ssh://git@127.0.0.1:${ssh.port}/${fullName}.git`,
    git,
    async mustGit(where, key, ...words) {
      const { code, stdout, stderr } = await git(where, key, ...words);
      assert.equal(code, 0, `git ${words.join(' ')}: ${stderr}`);
      return stdout + stderr;
    },
    ssh: (key, ...words) => {
      const at = ['-T', '-p', String(ssh.port)];
      const all = [...optionsOf(key), ...at, ...words];
      return run('ssh', all, gitClientEnvironment(folder), folder);
    },
    stop: () => ssh.close(20_000),
    async close() {
      await ssh.close(0);
      await forge.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
