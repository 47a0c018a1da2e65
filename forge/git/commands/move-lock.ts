import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { namesIn } from '#platform/absent-files.ts';

import type { Durability } from './durability.ts';
import { GitError } from '../git-error.ts';

/**
 * Why a repository of this git process is not for everyone: `frozen`, it takes no writes, and is about to get another shard; `closed`, it answers
 * nothing until the database names its shard; `gone`, it has another one. All three outlive the process: a copy that was made must stay true.
 */
type State = 'frozen' | 'closed' | 'gone';

interface Held {
  readonly state: State;
  /** Of the move that holds it. */
  readonly token: string;
}

/** Time that a call waits for a repository that is being moved to another shard; then it is answered 503. */
const patienceMilliseconds = 4000;
/** Time that a move waits for writes under way, and the removal of the old files for clones. */
const drainMillisecondsDefault = 20_000;
/** Time between two checks whether such calls are under way. */
const pollMilliseconds = 10;

interface Calls {
  all: number;
  writes: number;
}

/** Counts the calls of each repository, and holds them back while it moves to another shard: a lock that outlives the process. */
export class MoveLock {
  /** One file for each repository that is held. */
  readonly #folder: string;
  readonly #durability: Pick<Durability, 'sync'>;
  readonly #drainMilliseconds: number;
  readonly #calls = new Map<number, Calls>();
  readonly #held = new Map<number, Held>();
  /** Copies that this shard does not have yet, by their move. */
  readonly #arriving = new Map<number, string>();
  #changed = Promise.withResolvers<void>();

  constructor(
    folder: string,
    durability: Pick<Durability, 'sync'>,
    drainMilliseconds = drainMillisecondsDefault,
  ) {
    this.#folder = folder;
    this.#durability = durability;
    this.#drainMilliseconds = drainMilliseconds;
  }

  /** Reads what a former process held. */
  async open(): Promise<void> {
    for (const name of await namesIn(this.#folder)) {
      if (!/^\d+$/.test(name)) continue;
      this.#held.set(Number(name), heldFrom(await readFile(join(this.#folder, name), 'utf8')));
    }
  }

  /** Before a call. Gives what ends it. */
  async enter(ids: readonly number[], writes: boolean): Promise<() => void> {
    if (this.#held.size + this.#arriving.size > 0) await this.#untilOpen(ids, writes);
    for (const id of ids) this.#count(id, 1, writes);
    return () => {
      for (const id of ids) this.#count(id, -1, writes);
    };
  }

  /** Resolves when no write is under way any more, and none can begin. */
  async freeze(token: string, ids: readonly number[]): Promise<void> {
    for (const id of ids) {
      const held = this.#held.get(id);
      if (held && held.token !== token)
        throw new GitError('busy', `Repository ${id} is ${held.state} by another move.`);
    }
    try {
      await this.#hold(token, ids, 'frozen');
      await this.#drain(ids, 'writes');
    } catch (error) {
      await this.thaw(token);
      throw error;
    }
  }

  /** No call is answered any more. Refused where one was released meanwhile, because its copy may be outdated. */
  async close(token: string, ids: readonly number[]): Promise<void> {
    const held = new Set(this.#of(token, ['frozen']));
    for (const id of ids)
      if (!held.has(id)) throw new GitError('failed', `Repository ${id} is not frozen any more.`);
    await this.#hold(token, ids, 'closed');
  }

  /** The move did not happen. */
  async thaw(token: string): Promise<void> {
    for (const id of this.#of(token, ['frozen', 'closed'])) {
      await rm(join(this.#folder, String(id)), { force: true });
      this.#held.delete(id);
    }
    this.#change();
  }

  /**
   * They have another shard from now on. Resolves when no call reads their files, or its time is over. Refused where the move does not hold them:
   * they may be here again.
   */
  async leave(token: string, ids: readonly number[]): Promise<void> {
    const held = new Set(this.#of(token, ['closed', 'gone']));
    for (const id of ids)
      if (!held.has(id)) throw new GitError('failed', `Repository ${id} is not held by this move.`);
    await this.#hold(token, ids, 'gone');
    await this.#drain(ids, 'all').catch((error: unknown) => {
      if (!(error instanceof GitError)) throw error;
    });
  }

  /** A copy begins to arrive. */
  expect(token: string, id: number): void {
    this.#arriving.set(id, token);
  }

  /** The copies of a move are here, or were removed. */
  async accept(token: string, ids: readonly number[]): Promise<void> {
    for (const id of ids) {
      if (this.#held.get(id)?.state !== 'gone') continue;
      await rm(join(this.#folder, String(id)), { force: true });
      this.#held.delete(id);
    }
    this.forget(token);
  }

  forget(token: string): void {
    for (const [id, other] of this.#arriving) if (other === token) this.#arriving.delete(id);
    this.#change();
  }

  /** The moves that hold repositories which are still here. */
  tokens(): readonly string[] {
    const held = [...this.#held.values()].filter(({ state }) => state !== 'gone');
    return [...new Set(held.map(({ token }) => token))];
  }

  async #untilOpen(ids: readonly number[], writes: boolean): Promise<void> {
    for (const deadline = performance.now() + patienceMilliseconds; ;) {
      const states = ids.map((id) => this.#stateOf(id));
      if (states.some((state) => state !== undefined && state !== 'frozen'))
        throw new GitError('other-shard', 'The repository is in another shard.');
      if (!writes || !states.includes('frozen')) return;
      const left = deadline - performance.now();
      if (left <= 0)
        throw new GitError('moving', 'The repository is being moved. Try again later.');
      const late = new AbortController();
      const patience = delay(left, undefined, { signal: late.signal }).catch(() => {});
      await Promise.race([this.#changed.promise, patience]).finally(() => late.abort());
    }
  }

  #stateOf(id: number): State | undefined {
    return this.#arriving.has(id) ? 'closed' : this.#held.get(id)?.state;
  }

  #count(id: number, by: number, writes: boolean): void {
    const calls = this.#calls.get(id) ?? { all: 0, writes: 0 };
    calls.all += by;
    if (writes) calls.writes += by;
    if (calls.all === 0) this.#calls.delete(id);
    else this.#calls.set(id, calls);
  }

  /** Calls wait before the files say so, so that what is durable is never less than what is promised. */
  async #hold(token: string, ids: readonly number[], state: State): Promise<void> {
    for (const id of ids) this.#held.set(id, { state, token });
    this.#change();
    await mkdir(this.#folder, { recursive: true });
    for (const id of ids) {
      const path = join(this.#folder, String(id));
      await writeFile(`${path}.new`, `${state} ${token}\n`, { flush: true });
      await rename(`${path}.new`, path);
    }
    await this.#durability.sync(this.#folder);
  }

  #of(token: string, states: readonly State[]): readonly number[] {
    return [...this.#held]
      .filter(([, held]) => held.token === token && states.includes(held.state))
      .map(([id]) => id);
  }

  async #drain(ids: readonly number[], which: keyof Calls): Promise<void> {
    const deadline = performance.now() + this.#drainMilliseconds;
    while (ids.some((id) => (this.#calls.get(id)?.[which] ?? 0) > 0)) {
      if (performance.now() > deadline)
        throw new GitError('busy', 'A push or another write did not end. Try again later.');
      await delay(pollMilliseconds);
    }
  }

  #change(): void {
    const changed = this.#changed;
    this.#changed = Promise.withResolvers();
    changed.resolve();
  }
}

function heldFrom(text: string): Held {
  const [, state, token] = /^(frozen|closed|gone) (\S+)\n$/.exec(text) ?? [];
  // Written whole or not at all; what no program wrote refuses everything, which an operator sees.
  if ((state !== 'frozen' && state !== 'gone') || token === undefined)
    return { state: 'closed', token: token ?? '-' };
  return { state, token };
}
