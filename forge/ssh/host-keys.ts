import { generateKeyPairSync } from 'node:crypto';
import { link, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import ssh2 from 'ssh2';

import { syncFolders, writePrivateFile } from '#platform/durable-files.ts';
import { errorCode } from '#platform/error-code.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { systemRandom } from '#platform/random.ts';

import type { SshHostKey } from '../ports/ssh-port.ts';
import { createEd25519KeyPair } from '../ssh-keys/openssh-key-pair.ts';
import { fingerprintOf } from '../ssh-keys/public-key.ts';

/** Those that every client knows at least one of, as sshd names their files. */
const files: Readonly<Record<string, () => string>> = {
  ssh_host_ed25519_key: () => createEd25519KeyPair('').privateKey,
  ssh_host_ecdsa_key: () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      format: 'pem',
      type: 'sec1',
    }),
};

/** The keys by which clients recognize the server, made at the first start. Only the owner of the folder can read them. */
export async function openHostKeys(folder: string): Promise<SshHostKey[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const keys: SshHostKey[] = [];
  for (const [name, create] of Object.entries(files)) {
    const path = join(folder, name);
    keys.push(hostKeyOf(path, (await readIfPresent(path)) ?? (await createFile(path, create()))));
  }
  return keys;
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function createFile(path: string, text: string): Promise<string> {
  const temporary = `${path}.${systemRandom.id()}`;
  await writePrivateFile(temporary, (write) => write(Buffer.from(text)));
  try {
    await link(temporary, path);
  } catch (error) {
    // Another node of the cluster was faster: all have its key.
    if (errorCode(error) !== 'EEXIST') throw error;
    return await readFile(path, 'utf8');
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolders([dirname(path)]);
  return text;
}

function hostKeyOf(path: string, privateKey: string): SshHostKey {
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error || !parsed.isPrivateKey()) {
    throw new OperatorError(
      `The SSH host key ${path} cannot be read. Restore it from a backup, or remove it: a new one is made, of which clients warn.`,
    );
  }
  const bytes = parsed.getPublicSSH();
  return {
    algorithm: parsed.type,
    privateKey,
    publicKey: `${parsed.type} ${bytes.toString('base64')}`,
    fingerprint: fingerprintOf(bytes),
  };
}
