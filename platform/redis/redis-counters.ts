import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

import { readReply, type RedisReply, writeCommand } from './redis-replies.ts';
import type { SharedCounters } from '../shared-counters.ts';

/** Time for shared counters to answer, for which callers wait; then the process counts separately. */
const answerMilliseconds = 250;
/**
 * Time after a failure before shared counters are used again: a server that is away costs one attempt in so long, and not one
 * for each request.
 */
const pauseMilliseconds = 1000;

/**
 * One step, so that a counter cannot be left without an end. It ends with a second of the server's clock, so that all who count give the same end.
 * Giving back to one that has ended must not begin the next below zero, and a look must not begin one.
 */
const script = `local life = tonumber(ARGV[2])
if tonumber(ARGV[1]) <= 0 and redis.call('EXISTS', KEYS[1]) == 0 then return {0, life} end
local sum = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  local now = redis.call('TIME')
  local milliseconds = now[1] * 1000 + math.floor(now[2] / 1000)
  left = math.ceil((milliseconds + life) / 1000) * 1000 - milliseconds
  redis.call('PEXPIRE', KEYS[1], left)
end
return {sum, left}`;

interface Waiting {
  resolve(reply: RedisReply | undefined): void;
}

interface RedisCountersOptions {
  /** Installations that share a server count apart by it. */
  readonly installation: string;
  /** Called once for each outage. */
  readonly onProblem: (problem: string) => void;
  /** Monotonic. */
  readonly now: () => number;
}

interface Link {
  readonly socket: Socket;
  readonly waiting: Waiting[];
}

/**
 * Counters in Redis or Valkey, over one connection that is made when it is first needed and again after it broke.
 * An outage is reported once.
 */
export function openRedisCounters(
  url: URL,
  { installation, onProblem, now }: RedisCountersOptions,
): SharedCounters {
  let link: Link | undefined;
  let notBefore = -Infinity;
  let isAway = false;
  const drop = (broken: Link, problem: string): void => {
    if (link !== broken) return;
    link = undefined;
    notBefore = now() + pauseMilliseconds;
    if (!isAway) onProblem(problem);
    isAway = true;
    broken.socket.destroy();
    for (const each of broken.waiting.splice(0)) each.resolve(undefined);
  };
  const ask = (command: readonly string[]): Promise<RedisReply | undefined> => {
    if (!link && now() < notBefore) return Promise.resolve(undefined);
    link ??= open(url, drop);
    const current = link;
    return new Promise((resolve) => {
      const late = setTimeout(() => drop(current, 'no response in time'), answerMilliseconds);
      current.waiting.push({
        resolve(reply) {
          clearTimeout(late);
          // As of a replica, or while it loads its data.
          if (!Array.isArray(reply))
            drop(current, isError(reply) ? reply.error : 'not the reply of a counter');
          resolve(reply);
        },
      });
      current.socket.write(writeCommand(command));
    });
  };
  return {
    async add(key, amount, lifeMilliseconds) {
      const name = `hob ${installation} ${key}`;
      const numbers = [String(amount), String(lifeMilliseconds)];
      const reply = await ask(['EVAL', script, '1', name, ...numbers]);
      if (reply === undefined) return undefined;
      const [sum, left] = Array.isArray(reply) ? reply : [];
      if (typeof sum !== 'number' || typeof left !== 'number') return undefined;
      isAway = false;
      return { sum, leftMilliseconds: left };
    },
    close() {
      const last = link;
      link = undefined;
      notBefore = Infinity;
      last?.socket.destroy();
      for (const each of last?.waiting.splice(0) ?? []) each.resolve(undefined);
    },
  };
}

function isError(reply: RedisReply | undefined): reply is { readonly error: string } {
  return typeof reply === 'object' && reply !== null && 'error' in reply;
}

function open(url: URL, drop: (link: Link, problem: string) => void): Link {
  const address = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || '6379') };
  const socket = url.protocol === 'rediss:' ? connectSecurely(address) : connect(address);
  const link: Link = { socket, waiting: [] };
  let received = Buffer.alloc(0);
  socket.setNoDelay(true);
  // A process that has nothing else to do may end.
  socket.unref();
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    try {
      for (let found = readReply(received); found; found = readReply(received)) {
        received = received.subarray(found.end);
        link.waiting.shift()?.resolve(found.reply);
      }
    } catch (error) {
      drop(link, error instanceof Error ? error.message : String(error));
    }
  });
  socket.on('error', (error) => drop(link, error.message));
  socket.on('close', () => drop(link, 'the connection was closed'));
  const introduce = (...command: string[]): void => {
    link.waiting.push({
      resolve(reply) {
        if (isError(reply)) drop(link, reply.error);
      },
    });
    socket.write(writeCommand(command));
  };
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  if (password !== '') introduce('AUTH', ...(user === '' ? [] : [user]), password);
  if (url.pathname.length > 1) introduce('SELECT', url.pathname.slice(1));
  return link;
}
