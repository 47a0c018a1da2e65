import { finished, type Readable } from 'node:stream';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { clientOf } from '#platform/client-address.ts';
import { responseEndSignal } from '#platform/response-end.ts';

import type { GitService } from '../git/git.ts';
import { type Caller, callerAccountId } from '../model/caller.ts';
import { GitRefusal } from './from-git-error.ts';

/**
 * Limits concurrent transfers, because each needs a git process; more wait for a limited time, first in, first out. One
 * caller gets only a share of the slots, so that its many or slow clones do not block other callers. All anonymous callers
 * together also get only a share, because an attacker can easily use many addresses.
 */
export interface TransferLimiter {
  /**
   * Resolves when the transfer may start, with a function that ends it. Refuses with 429 if the caller has too many waiting,
   * with 503 if too many wait in total or no slot becomes free in time.
   */
  enter(caller: TransferCaller, gone: AbortSignal): Promise<() => void>;
}

export interface TransferCaller {
  /** The same for all transfers of one caller. */
  readonly key: string;
  readonly anonymous: boolean;
}

/** An account or application is one caller; anonymous callers are distinguished by address. */
export function transferCaller(caller: Caller, address: string): TransferCaller {
  switch (caller.kind) {
    case 'user':
      return {
        key: caller.installation
          ? `installation ${caller.installation.installationId}`
          : `account ${callerAccountId(caller)}`,
        anonymous: false,
      };
    case 'application':
      return { key: `application ${caller.applicationId}`, anonymous: false };
    case 'app':
      return { key: `app ${caller.app.id}`, anonymous: false };
    case 'anonymous':
      return { key: clientOf(address), anonymous: true };
  }
}

export interface TransferLimits {
  readonly runningMax: number;
  readonly runningOfOneMax: number;
  readonly runningAnonymousMax: number;
  readonly waitingMax: number;
  readonly waitingOfOneMax: number;
  readonly waitingAnonymousMax: number;
  readonly waitMilliseconds: number;
}

/**
 * Clones and fetches, pushes, and large files being sent, of each: running at once, of one caller, of all anonymous ones
 * together; waiting in total, of one caller, of all anonymous ones; and how long they wait. Beyond, 503; of one caller, 429
 * (for files 403, as a secondary rate limit), with `Retry-After`.
 */
export const usualTransferLimits: TransferLimits = {
  runningMax: 64,
  runningOfOneMax: 16,
  runningAnonymousMax: 48,
  waitingMax: 256,
  waitingOfOneMax: 64,
  waitingAnonymousMax: 192,
  waitMilliseconds: 20_000,
};

/**
 * Requests with a body of more than 1 MiB for blobs, trees and contents, counted as transfers of git are; then 503, and 403 as
 * a secondary rate limit, with `Retry-After`. A body takes up to 40 MiB of memory as it arrives (git-data/object-input.ts), and
 * several times that while it is parsed and written.
 */
export const largeBodyLimits: TransferLimits = {
  runningMax: 8,
  runningOfOneMax: 2,
  runningAnonymousMax: 1,
  waitingMax: 128,
  waitingOfOneMax: 16,
  waitingAnonymousMax: 8,
  waitMilliseconds: 20_000,
};

/**
 * Pages that take git long, such as blame, also over GraphQL, counted as transfers of git are: as many as git runs of its slow
 * commands, of which one caller leaves some to others.
 */
export const slowPageLimits: TransferLimits = {
  runningMax: 2,
  runningOfOneMax: 1,
  runningAnonymousMax: 1,
  waitingMax: 32,
  waitingOfOneMax: 4,
  waitingAnonymousMax: 16,
  waitMilliseconds: 20_000,
};

/**
 * Images that are fetched from other servers, counted as transfers of git are: a browser asks for six at a time, and a text may
 * have many.
 */
export const imageLimits: TransferLimits = {
  runningMax: 24,
  runningOfOneMax: 6,
  runningAnonymousMax: 16,
  waitingMax: 256,
  waitingOfOneMax: 64,
  waitingAnonymousMax: 128,
  waitMilliseconds: 20_000,
};

/** Of git, by service: fetches do not wait for pushes. */
export type GitTransferLimiters = Readonly<Record<GitService, TransferLimiter>>;

export function createGitTransferLimiters(): GitTransferLimiters {
  return { 'upload-pack': createTransferLimiter(), 'receive-pack': createTransferLimiter() };
}

/** `Retry-After` of a transfer of git that finds too many others. */
const retryAfterSeconds = 10;

interface Waiter {
  readonly caller: TransferCaller;
  readonly start: () => void;
}

export function createTransferLimiter(
  limits: TransferLimits = usualTransferLimits,
): TransferLimiter {
  const running: TransferCaller[] = [];
  const waiting: Waiter[] = [];

  const mayRun = (caller: TransferCaller): boolean =>
    running.length < limits.runningMax &&
    countOf(running, caller) < limits.runningOfOneMax &&
    !(caller.anonymous && anonymousOf(running) >= limits.runningAnonymousMax);

  function run(caller: TransferCaller): () => void {
    running.push(caller);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      running.splice(running.indexOf(caller), 1);
      const next = waiting.findIndex((waiter) => mayRun(waiter.caller));
      if (next >= 0) waiting.splice(next, 1)[0]?.start();
    };
  }

  function wait(caller: TransferCaller, gone: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const release = (): void => {
        clearTimeout(patience);
        gone.removeEventListener('abort', giveUp);
      };
      const waiter: Waiter = {
        caller,
        start() {
          release();
          resolve(run(caller));
        },
      };
      const giveUp = (): void => {
        release();
        waiting.splice(waiting.indexOf(waiter), 1);
        reject(serverBusy());
      };
      const patience = setTimeout(giveUp, limits.waitMilliseconds);
      gone.addEventListener('abort', giveUp, { once: true });
      waiting.push(waiter);
    });
  }

  return {
    async enter(caller, gone) {
      if (gone.aborted) throw serverBusy();
      if (mayRun(caller)) return run(caller);
      const others = waiting.map((waiter) => waiter.caller);
      if (countOf(others, caller) >= limits.waitingOfOneMax) throw callerBusy();
      if (others.length >= limits.waitingMax) throw serverBusy();
      if (caller.anonymous && anonymousOf(others) >= limits.waitingAnonymousMax) throw serverBusy();
      return wait(caller, gone);
    },
  };
}

/** Does something for a request when it has a slot. */
export function runAsTransfer<T>(
  limiter: TransferLimiter,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<T>,
): Promise<T> {
  const caller = transferCaller(request.forge.caller, request.ip);
  return runInSlot(limiter, caller, responseEndSignal(reply.raw), work);
}

/** Does something that runs git as long as a transfer, when a slot is free. */
export async function runInSlot<T>(
  limiter: TransferLimiter,
  caller: TransferCaller,
  gone: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const leave = await limiter.enter(caller, gone);
  return work().finally(leave);
}

export interface Transfer {
  readonly stream: Readable;
  /** Resolves or rejects when git has ended, if git continues after the client disconnects. */
  readonly done?: Promise<unknown>;
}

/**
 * Starts a transfer when a slot is free, and releases the slot when both its stream and its git have ended. A client may
 * disconnect at any time, even before this call: then nothing is started, or what was started is ended.
 */
export async function startTransfer(
  limiter: TransferLimiter,
  caller: TransferCaller,
  gone: AbortSignal,
  start: () => Promise<Transfer>,
): Promise<Readable> {
  const end = await limiter.enter(caller, gone);
  const starting = start();
  starting.then(({ stream, done }) => {
    finished(stream, () => {
      if (done) done.then(end, end);
      else end();
    });
    // Without this, git would keep running if the client disconnected before the response began.
    if (gone.aborted) stream.destroy();
    else gone.addEventListener('abort', () => stream.destroy(), { once: true });
  }, end);
  return (await starting).stream;
}

function countOf(callers: readonly TransferCaller[], { key }: TransferCaller): number {
  return callers.filter((other) => other.key === key).length;
}

function anonymousOf(callers: readonly TransferCaller[]): number {
  return callers.filter((caller) => caller.anonymous).length;
}

function callerBusy(): GitRefusal {
  const message = 'Too many of your transfers wait already. Try again later.';
  return new GitRefusal(429, message, { retryAfterSeconds });
}

function serverBusy(): GitRefusal {
  const message = 'Too many transfers are under way. Try again later.';
  return new GitRefusal(503, message, { retryAfterSeconds });
}
