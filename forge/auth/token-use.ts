import type { Ports } from '../ports/ports.ts';
import { recordTokenUse } from './credential-store.ts';

/** A token whose use is to be recorded. */
export interface UsedToken {
  readonly id: number;
  readonly lastUsedAt: number | null;
}

/** The uses of tokens, each recorded at most once an hour, because a recorded use clears what is cached until the next commit. */
export class TokenUses {
  readonly #ports: Pick<Ports, 'background' | 'clock' | 'database'>;
  /** When the use of each token was recorded last, or was to be: by another server, or to a database that fails. */
  readonly #recordedAt = new Map<number, number>();

  constructor(ports: Pick<Ports, 'background' | 'clock' | 'database'>) {
    this.#ports = ports;
  }

  /** Records the use where it is due, after the response; returns when the next use is due. */
  record({ id, lastUsedAt }: UsedToken): number {
    const { background, clock, database } = this.#ports;
    const now = clock.now();
    const recordedAt = Math.max(lastUsedAt ?? 0, this.#recordedAt.get(id) ?? 0);
    if (now < recordedAt + useRecordedMilliseconds) return recordedAt + useRecordedMilliseconds;
    if (this.#recordedAt.size >= tokensMax) this.#recordedAt.clear();
    this.#recordedAt.set(id, now);
    background.run(`use of token ${id}`, () =>
      database.write((sql) => recordTokenUse(sql, id, now)),
    );
    return now + useRecordedMilliseconds;
  }
}

const useRecordedMilliseconds = 3_600_000;

/** Tokens in memory. */
const tokensMax = 5000;
