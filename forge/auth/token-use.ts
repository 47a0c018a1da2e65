import type { Ports } from '../ports/ports.ts';
import { recordTokenUse } from './credential-store.ts';

/** The uses of tokens, each recorded at most once an hour, because a recorded use clears what is cached until the next commit. */
export class TokenUses {
  readonly #ports: Pick<Ports, 'background' | 'clock' | 'database'>;
  /** When the use of each token was recorded last, or was to be: by another server, or to a database that fails. */
  readonly #recordedAt = new Map<number, number>();

  constructor(ports: Pick<Ports, 'background' | 'clock' | 'database'>) {
    this.#ports = ports;
  }

  /** Records the use, after the response, where the last record is old enough. */
  record(tokenId: number, lastUsedAt: number | null = null): void {
    const { background, clock, database } = this.#ports;
    const now = clock.now();
    const recordedAt = Math.max(lastUsedAt ?? 0, this.#recordedAt.get(tokenId) ?? 0);
    const isDue = now >= recordedAt + useRecordedMilliseconds;
    if (this.#recordedAt.size >= tokensMax) this.#recordedAt.clear();
    this.#recordedAt.set(tokenId, isDue ? now : recordedAt);
    if (!isDue) return;
    background.run(`use of token ${tokenId}`, () =>
      database.write((sql) => recordTokenUse(sql, tokenId, now)),
    );
  }
}

/** Time after which the next use of a token is recorded. */
const useRecordedMilliseconds = 3_600_000;

/** Tokens whose recorded use is in memory. */
const tokensMax = 5000;
