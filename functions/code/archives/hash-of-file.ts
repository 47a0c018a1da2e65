import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The SHA-256 of its content, in hex. Rejects with NoFileError for what is not a regular file. */
export async function hashOfFile(path: string): Promise<string> {
  // To open a FIFO would wait for a writer otherwise, and hold a thread of the process.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (!(await file.stat()).isFile()) throw new NoFileError(`${path} is not a file.`);
  const hash = createHash('sha256');
  for await (const piece of file.createReadStream({
    highWaterMark: 256 * 1024,
    autoClose: false,
  }))
    hash.update(piece);
  return hash.digest('hex');
}

export class NoFileError extends Error {
  override readonly name = 'NoFileError';
}
