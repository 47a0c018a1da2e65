import { readFileSync } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';
import { OperatorError } from '#platform/operator-error.ts';

/** Undefined: there is no such file. */
export async function readKeyFile(path: string): Promise<Buffer | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) {
    throw new OperatorError(
      `Other users can read the service key ${path}. Restrict access: chmod 600 ${path}`,
    );
  }
  const key = keyIn(text);
  if (!key) {
    throw new OperatorError(
      `The service key ${path} is damaged. Restore it from a backup: stored secrets cannot be decrypted without it.`,
    );
  }
  return key;
}

/** The same synchronously; undefined for a file that cannot be read or is not a key. */
export function readKeyFileAtOnce(path: string): Buffer | undefined {
  try {
    return keyIn(readFileSync(path, 'utf8'));
  } catch {
    // A missing or unreadable file decrypts nothing.
    return undefined;
  }
}

/** Replaces a file by another, durably; already done when the source does not exist. */
export async function renameKeyFile(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  await syncFolder(dirname(to));
}

/**
 * Creates the file atomically and durably. Of several concurrent processes one wins, and all get the winner's key.
 */
export async function makeKeyFile(
  path: string,
  key: Uint8Array,
  draftName: string,
): Promise<Buffer> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${draftName}`;
  const text = `${Buffer.from(key).toString('base64url')}\n`;
  try {
    await writeDurably(draft, text);
    await link(draft, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(folder);
  await syncFolder(dirname(folder));
  const existing = await readKeyFile(path);
  if (!existing) throw new Error(`The service key ${path} disappeared after it was created.`);
  return existing;
}

/** Removes what `makeKeyFile` leaves when it is killed: it contains a key, perhaps the present one. */
export async function removeDrafts(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (name.startsWith(`${basename(path)}.`)) await rm(join(folder, name), { force: true });
  }
}

function keyIn(text: string): Buffer | undefined {
  return /^[\w-]{43}\n?$/.test(text) ? Buffer.from(text.trim(), 'base64url') : undefined;
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return errorCode(error) === code;
}
