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
  // The failure reaches whoever waits for `settled`; a caller that only reads the output sees it
  // there.
  completed.promise.catch(() => {});
  // A client that hangs up destroys the output, which is no fault of anybody here.
  output.on('error', () => {});
  inBackground(run(), completed.reject);
  return { output, completed: completed.promise, acknowledge: acknowledged.resolve };
}
