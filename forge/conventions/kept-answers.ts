import type { FastifyReply, FastifyRequest } from 'fastify';

import { networkVersion } from '../access/access-store.ts';
import type { Caller } from '../access/caller.ts';
import type { Ports } from '../ports.ts';
import { acceptedEncoding, type Encoding } from './compression.ts';
import { entityHeaders, isUnchanged } from './conditional-request.ts';
import { isForPeople } from './pretty-print.ts';
import { type RateLimiter, rateHeaders, refund } from './rate-limit.ts';

/** A finished answer to a GET, ready to be sent again while nothing it shows has changed. */
export interface KeptAnswer {
  /** Of the repository's network and the accounts (access/repository-access.ts). */
  readonly networkId: number;
  readonly version: string;
  /** Who was answered: its budget is charged again. */
  readonly caller: Caller;
  readonly body: Buffer;
  /** What the body is compressed with: each form of an answer is kept for itself. */
  readonly encoding: Encoding | undefined;
  readonly tag: string;
  readonly lastModified: number | undefined;
  /** Every header but the request's id, the budget and those of the entity: name, value, name, value. */
  readonly headers: readonly string[];
}

export interface KeptAnswers {
  find(key: string): KeptAnswer | undefined;
  keep(key: string, answer: KeptAnswer): void;
  drop(key: string): void;
}

/** Room for the fixed part of an entry: headers, map overhead. */
const entryOverheadBytes = 1500;

/** Bodies as buffers, outside the JavaScript heap, bounded in bytes; the least recently used go first. */
export function createKeptAnswers(bytesMax: number): KeptAnswers {
  const answers = new Map<string, KeptAnswer>();
  let bytes = 0;
  const sizeOf = (key: string, answer: KeptAnswer): number =>
    answer.body.length + key.length + entryOverheadBytes;
  const drop = (key: string): void => {
    const answer = answers.get(key);
    if (!answer) return;
    answers.delete(key);
    bytes -= sizeOf(key, answer);
  };
  return {
    find(key) {
      const answer = answers.get(key);
      if (!answer) return undefined;
      // Put last, so that the first is always the one that was not asked for the longest.
      answers.delete(key);
      answers.set(key, answer);
      return answer;
    },
    keep(key, answer) {
      drop(key);
      if (sizeOf(key, answer) > bytesMax / 8) return;
      answers.set(key, answer);
      bytes += sizeOf(key, answer);
      for (const oldest of answers.keys()) {
        if (bytes <= bytesMax) break;
        drop(oldest);
      }
    },
    drop,
  };
}

/** Everything of a request that an answer can depend on; undefined for requests whose answers are not kept. */
export function keptKey(request: FastifyRequest): string | undefined {
  const url = request.raw.url ?? '';
  // A wrapped answer repeats the budget, which is never the same.
  if (request.method !== 'GET' || url.includes('callback=')) return undefined;
  const { host, authorization, accept } = request.headers;
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  return `${url}\n${encoding}\n${host}\n${authorization}\n${accept}\n${isForPeople(request)}`;
}

export interface DoorParts {
  readonly ports: Ports;
  readonly kept: KeptAnswers;
  readonly limiter: RateLimiter;
  readonly requestIdHeader: string;
}

/**
 * Answers a request whose every determinant is as it was: same words, and by one small read the same versions, which
 * move with anything the answer shows and with any right, token or password it was given for. false: go the long way.
 */
export async function answerFromKept(
  request: FastifyRequest,
  reply: FastifyReply,
  key: string,
  answer: KeptAnswer,
  parts: DoorParts,
): Promise<boolean> {
  const { ports, kept, limiter } = parts;
  const version = await ports.database.readOne((sql) => networkVersion(sql, answer.networkId));
  if (version !== answer.version) {
    kept.drop(key);
    return false;
  }
  const counting = limiter.count(answer.caller, request.ip, ports.clock.now(), 1);
  const { window, admitted } = counting instanceof Promise ? await counting : counting;
  if (!admitted) return false;
  const unchanged = isUnchanged(request.headers, answer.tag, answer.lastModified);
  if (unchanged) refund(window);
  const headers = [
    ...answer.headers,
    parts.requestIdHeader,
    request.id,
    ...rateHeaders(window),
    ...Object.entries(entityHeaders(answer.tag, unchanged ? undefined : answer.encoding)).flat(),
    'status',
    unchanged ? '304 Not Modified' : '200 OK',
  ];
  // Written past the framework: on this path its bookkeeping would cost as much as all of ours.
  reply.hijack();
  if (unchanged) {
    reply.raw.writeHead(304, headers);
    reply.raw.end();
  } else {
    headers.push('content-length', String(answer.body.length));
    reply.raw.writeHead(200, headers);
    reply.raw.end(answer.body);
  }
  return true;
}
