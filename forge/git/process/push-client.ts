import type { ClientRequest } from 'node:http';
import type { Readable } from 'node:stream';

import { inBackground } from '#platform/in-background.ts';
import { traced } from '#platform/tracing.ts';

import { writeWithBackpressure } from '../commands/backpressure.ts';
import { GitError } from '../git-error.ts';
import { type GitConnection, responseTo, throwError, unavailable } from './git-connection.ts';
import type { Received, Receiving } from '../transport/receive-pack.ts';
import { decode, encode, formatFrame, frame, type PushRequest, readFrames } from './wire.ts';

/**
 * Takes a push to the git process and back, in frames, so that a broken-off request is still
 * answered.
 */
export function sendPush(
  connection: GitConnection,
  id: number,
  body: Readable,
  receiving: Receiving,
): Promise<Received> {
  return traced('git receive-pack', {}, () => exchangeFrames(connection, id, body, receiving));
}

async function exchangeFrames(
  connection: GitConnection,
  id: number,
  body: Readable,
  { options, sendProgress, mayMove }: Receiving,
): Promise<Received> {
  const sent = await connection.open('POST', '/receive-pack', { id });
  const response = responseTo(sent);
  const request: PushRequest = { options, wantsDecision: mayMove !== undefined };
  // Not waited for: git may answer before the client has sent everything.
  inBackground(sendBody(sent, body, request), (error) =>
    sent.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  try {
    for await (const { kind, content } of readFrames(await response)) {
      if (kind === frame.data) await sendProgress(content);
      if (kind === frame.wantsDecision && mayMove) {
        const { push } = decode<{ push: number }>(content);
        await connection.decidePush({ push, refusal: await mayMove() });
      }
      if (kind === frame.received) return decode<Received>(content);
      if (kind === frame.error) throwError(decode(content));
    }
  } catch (cause) {
    throw cause instanceof GitError ? cause : unavailable(cause);
  }
  throw unavailable(undefined);
}

async function sendBody(sent: ClientRequest, body: Readable, request: PushRequest): Promise<void> {
  let bytesSent = 0;
  try {
    await writeWithBackpressure(sent, formatFrame(frame.options, encode(request)));
    for await (const chunk of body) {
      await writeWithBackpressure(sent, formatFrame(frame.data, chunk));
      bytesSent += chunk.length;
      // The push was refused long ago, and the client goes on all the same: leaving the loop ends
      // its request.
      if (bytesSent > 2 * request.options.packBytesMax + mebibyte) break;
    }
    sent.end(formatFrame(frame.end, Buffer.alloc(0)));
  } catch {
    // The client aborted. The missing end frame signals this, and the response still lists the moved refs.
    sent.end();
  }
}

const mebibyte = 1024 * 1024;
