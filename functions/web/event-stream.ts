import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

import { FunctionsError } from '../errors/functions-error.ts';
import type { ServerSentEvent } from './kit/console-context.ts';

/** Console: pages that follow a log at a time; each reads its files several times a second. */
const streamsMax = 32;
/** Console: pages of one user that follow a log at a time, so that no reader takes all of them. */
const streamsOfUserMax = 4;
/** Time after which a page that follows a log is checked for the right to go on, and proxies see that it is alive. */
const checkMilliseconds = 5000;
/** Time after which a stream without events asks whether the server is stopping. */
const pollMilliseconds = 250;

export interface Follower {
  readonly userId: number;
  /** Aborted when the client has left. */
  readonly left: AbortSignal;
  readonly mayGoOn: () => Promise<boolean>;
}

export interface EventStreams {
  /** The body of a response: events until the client leaves, may not follow them any more, or the server stops. */
  open(
    follower: Follower,
    events: (ended: AbortSignal) => AsyncIterable<ServerSentEvent>,
  ): Readable;
}

/** Server-sent events (HTML, 9.2), as many at a time as a server can bear. */
export function createEventStreams(isStopping: () => boolean): EventStreams {
  const open: number[] = [];
  return {
    open({ userId, left, mayGoOn }, events) {
      const own = open.filter((each) => each === userId).length;
      if (open.length >= streamsMax || own >= streamsOfUserMax) {
        throw new FunctionsError(
          'TooManyRequestsException',
          `${open.length} pages of this server follow a log already, ${own} of them yours. Close one of them.`,
        );
      }
      open.push(userId);
      const end = new AbortController();
      const iterator = events(end.signal)[Symbol.asyncIterator]();
      const body = Readable.from(messages(iterator, end, isStopping, mayGoOn));
      // `close` comes even where the client leaves before anything is read, so that the generator never runs.
      body.once('close', () => {
        open.splice(open.indexOf(userId), 1);
        end.abort();
      });
      const leave = (): void => {
        // The generator waits and yields until it sees this: `destroy` alone takes effect at its next event.
        end.abort();
        body.destroy();
      };
      if (left.aborted) leave();
      else left.addEventListener('abort', leave, { once: true });
      return body;
    },
  };
}

async function* messages(
  iterator: AsyncIterator<ServerSentEvent>,
  end: AbortController,
  isStopping: () => boolean,
  mayGoOn: () => Promise<boolean>,
): AsyncGenerator<string> {
  try {
    yield ': open\n\n';
    let checked = performance.now();
    let next = iterator.next();
    let settled = settlementOf(next);
    for (;;) {
      await pause(pollMilliseconds, undefined, { signal: settled }).catch(() => {});
      if (isStopping() || end.signal.aborted) return;
      if (performance.now() - checked > checkMilliseconds) {
        if (!(await mayGoOn())) return;
        checked = performance.now();
        yield ': alive\n\n';
      }
      if (!settled.aborted) continue;
      const result = await next;
      if (result.done) return;
      yield messageOf(result.value);
      next = iterator.next();
      settled = settlementOf(next);
    }
  } finally {
    end.abort();
    await iterator.return?.();
  }
}

/**
 * Aborted when the promise is settled. A log can be quiet for days: `Promise.race` would add to its promise at each poll.
 */
function settlementOf(promise: Promise<unknown>): AbortSignal {
  const settled = new AbortController();
  const settle = (): void => settled.abort();
  promise.then(settle, settle);
  return settled.signal;
}

/** A line break would end the field: each line is a field of its own. */
function messageOf({ id, data }: ServerSentEvent): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `id: ${id}\n${lines.join('')}\n`;
}
