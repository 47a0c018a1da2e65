import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** The SHA-256 of its content, in hex. */
export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 256 * 1024 }))
    hash.update(piece);
  return hash.digest('hex');
}
