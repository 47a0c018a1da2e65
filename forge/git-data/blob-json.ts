import { createHash } from 'node:crypto';
import { Transform, type Readable, type TransformCallback } from 'node:stream';

import type { GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import type { Reply } from '../http/reply.ts';
import type { Json } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { base64LinesLength, bytesOfLine, encodeBase64Lines } from './base64.ts';

export function representBlob(
  id: ObjectId,
  content: Buffer,
  repository: Repository,
  urls: Urls,
): { [member: string]: Json } {
  return {
    ...describeBlob(id, content.length, repository, urls),
    content: encodeBase64Lines(content),
    encoding: 'base64',
  };
}

function describeBlob(
  id: ObjectId,
  size: number,
  repository: Repository,
  urls: Urls,
): { [member: string]: Json } {
  return {
    sha: id,
    node_id: nodeId('Blob', `${repository.id}:${id}`),
    size,
    url: urls.gitObject(fullName(repository), 'blobs', id),
  };
}

/** The same as `representBlob`, encoded while git reads the blob: in memory it would take several times its size. */
export function streamBlobJson(
  git: GitRepository,
  { id, size }: { readonly id: ObjectId; readonly size: number },
  repository: Repository,
  urls: Urls,
): Reply {
  const described = JSON.stringify(describeBlob(id, size, repository, urls));
  const head = `${described.slice(0, -1)},"content":"`;
  const tail = '","encoding":"base64"}';
  const { characters, lines } = base64LinesLength(size);
  return {
    kind: 'stream',
    form: 'json',
    // A line break has two characters in JSON.
    bytes: Buffer.byteLength(head) + characters + 2 * lines + tail.length,
    entityTag: createHash('sha256').update(head).digest('hex'),
    open: async () => encodedBetween(head, await git.streamBlob(id), tail),
  };
}

function encodedBetween(head: string, content: Readable, tail: string): Readable {
  let rest: Buffer = Buffer.alloc(0);
  const encoder = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const bytes = Buffer.concat([rest, chunk]);
      const whole = bytes.length - (bytes.length % bytesOfLine);
      rest = bytes.subarray(whole);
      done(null, encodeInJson(bytes.subarray(0, whole)));
    },
    flush(done: TransformCallback) {
      done(null, encodeInJson(rest) + tail);
    },
  });
  encoder.push(head);
  // An error on either side ends both.
  content.on('error', (error) => encoder.destroy(error));
  encoder.on('close', () => content.destroy());
  return content.pipe(encoder);
}

/** As JSON writes them, without quotes. */
function encodeInJson(bytes: Buffer): string {
  return encodeBase64Lines(bytes).replaceAll('\n', '\\n');
}
