import { randomBytes, randomUUID } from 'node:crypto';

/** The only source of randomness: tests put a predictable one in its place. */
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
  bytes: (count) => randomBytes(count),
  token: () => randomBytes(32).toString('hex'),
  id: () => randomUUID(),
  fraction: () => randomBytes(4).readUInt32LE() / 2 ** 32,
};
