import { argon2, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';

import { systemRandom } from './random.ts';

/** Turns passwords into hashes that may be stored. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes as long for a hash that is not there as for one that is, so that the time does not reveal which accounts exist. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

export interface PasswordOptions {
  /** Of new hashes; stored ones are verified at their own cost. */
  readonly cost?: PasswordCost;
  /** How many are computed at the same time; each takes its memory and a thread. */
  readonly concurrency?: number;
  /** How many wait; more are refused with `PasswordsBusy`. */
  readonly waitingMax?: number;
}

export interface PasswordCost {
  readonly memoryKibibytes: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** More passwords are being checked than this machine can do. The caller may try again. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy';
  constructor() {
    super('Too many passwords are being checked.');
  }
}

/** Passwords that wait to be verified; with more, a request is answered 503. */
const waitingMaxDefault = 16;

/** Argon2id, in the string format of its reference implementation (`$argon2id$v=19$m=…,t=…,p=…$salt$hash`). */
export function createPasswords(options: PasswordOptions = {}): Passwords {
  const {
    cost = recommendedCost,
    concurrency = availableParallelism(),
    waitingMax = waitingMaxDefault,
  } = options;
  const inTurn = createTurns(concurrency, waitingMax);
  const absentHash: StoredHash = {
    cost,
    salt: Buffer.alloc(saltBytes),
    hash: Buffer.alloc(hashBytes),
  };

  return {
    async hash(password) {
      const salt = systemRandom.bytes(saltBytes);
      const hash = await inTurn(() => derive(password, salt, hashBytes, cost));
      return formatHash({ cost, salt, hash });
    },
    async verify(password, text) {
      const stored = text === undefined ? absentHash : parseHash(text);
      const hash = await inTurn(() =>
        derive(password, stored.salt, stored.hash.length, stored.cost),
      );
      return timingSafeEqual(hash, stored.hash) && text !== undefined;
    },
  };
}

/** The OWASP password storage cheat sheet's first choice of low memory. */
const recommendedCost: PasswordCost = { memoryKibibytes: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const hashBytes = 32;

interface StoredHash {
  readonly cost: PasswordCost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Runs on the thread pool, not on the event loop. */
function derive(
  password: string,
  nonce: Buffer,
  length: number,
  cost: PasswordCost,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parameters = {
      message: Buffer.from(password.normalize('NFC')),
      nonce,
      parallelism: cost.parallelism,
      tagLength: length,
      memory: cost.memoryKibibytes,
      passes: cost.passes,
    };
    argon2('argon2id', parameters, (error, derived) => (error ? reject(error) : resolve(derived)));
  });
}

function formatHash({ cost, salt, hash }: StoredHash): string {
  const parameters = `m=${cost.memoryKibibytes},t=${cost.passes},p=${cost.parallelism}`;
  return `$argon2id$v=19$${parameters}$${unpadded(salt)}$${unpadded(hash)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

function parseHash(text: string): StoredHash {
  const parts =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text);
  if (!parts) throw new Error('A stored password hash is not in the argon2id format.');
  const [, memory, passes, parallelism, salt = '', hash = ''] = parts;
  return {
    cost: {
      memoryKibibytes: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
    },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

/** Lets so many run, so many wait, and refuses the rest. */
function createTurns(
  concurrency: number,
  waitingMax: number,
): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= concurrency) {
      if (waiting.length >= waitingMax) throw new PasswordsBusy();
      // A check that ends hands its slot over, so `running` does not change.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
