import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';

/** The only source of randomness: tests replace it by a predictable one. */
export interface Random {
  bytes(count: number): Buffer;
  /** 256 bits as 64 hexadecimal digits: cannot be guessed, and safe in URLs, headers and shells. */
  token(): string;
  /** A UUID, version 4. */
  id(): string;
  /** From 0 up to, not including, 1. Spreads retries in time; never a secret. */
  fraction(): number;
}

export const systemRandom: Random = {
  bytes: (count) => (count > fewBytesMax ? randomBytes(count) : fewBytes(count)),
  token: () => randomBytes(32).toString('hex'),
  id: () => randomUUID(),
  fraction: () => fewBytes(4).readUInt32LE() / 2 ** 32,
};

/** Asking the system for a few bytes costs as much as asking for many, so they are asked for together. */
const pool = Buffer.alloc(4096);
/** Random bytes that are taken from 4096 asked for together; more are asked for alone. */
const fewBytesMax = 64;
let used = pool.length;

function fewBytes(count: number): Buffer {
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + count));
  // Bytes that were returned must not remain in the buffer.
  pool.fill(0, used, used + count);
  used += count;
  return bytes;
}
