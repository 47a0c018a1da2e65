import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { syncFolder } from '../code/archives/durable-files.ts';
import type { Message } from './message.ts';

/** Puts a message into a folder as a file of its own, whole or not at all; the same message twice is one file. */
export async function fileMessage(folder: string, arn: string, message: Message): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = fileName(arn, message);
  const unfinished = join(folder, `.${name}.part`);
  try {
    const file = await open(unfinished, 'w', 0o600);
    try {
      await file.writeFile(envelope(arn, message));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, join(folder, `${name}.json`));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** A message in JSON for receivers without a protocol of their own; its body stays the very text that it is. */
export function envelope(arn: string, { id, body, attributes }: Message): string {
  return JSON.stringify({ target: arn, id, attributes, body });
}

/** Several targets may share a folder, and ids hold whatever their maker likes. */
function fileName(arn: string, { id }: Message): string {
  const readable = id.replaceAll(/[^\w-]/g, '_').slice(0, 64);
  const digest = createHash('sha256')
    .update(JSON.stringify([arn, id]))
    .digest('hex');
  return `${readable}-${digest.slice(0, 16)}`;
}
