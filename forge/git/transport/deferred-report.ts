import { PassThrough } from 'node:stream';

import { inBackground } from '#platform/in-background.ts';

import { writeWithBackpressure } from '../commands/backpressure.ts';
import type { ReceivePack } from '../received-push.ts';
import type { Received, SendProgress } from './receive-pack.ts';
import type { RefMove } from '../ref-update.ts';

/** A push as the port gives it: progress flows, the report waits for `acknowledge`. */
export function holdReport(
  receive: (sendProgress: SendProgress) => Promise<Received>,
): ReceivePack {
  const output = new PassThrough();
  const completed = Promise.withResolvers<readonly RefMove[]>();
  const acknowledged = Promise.withResolvers<void>();
  const run = async () => {
    try {
      const { moves, report } = await receive((bytes) => writeWithBackpressure(output, bytes));
      completed.resolve(moves);
      await acknowledged.promise;
      output.end(report);
    } catch (error) {
      completed.reject(error);
      output.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  };
  // Callers that await `completed` get the failure; for callers that only read the output, it fails
  // too.
  completed.promise.catch(() => {});
  // A client that disconnects destroys the output, which is not an error.
  output.on('error', () => {});
  inBackground(run(), completed.reject);
  return { output, completed: completed.promise, acknowledge: acknowledged.resolve };
}
