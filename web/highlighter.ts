import { Worker } from 'node:worker_threads';

import { inBackground } from '#platform/in-background.ts';
import { nextMessage } from '#platform/next-message.ts';

/** Colours code in a thread of its own, so that no text keeps the server from answering. */
export interface Highlighter {
  /**
   * The lines of the text as markup; undefined where they are shown as they are: the language is unknown, or the text is too long or
   * takes too long. `key` is the text's identity, such as the id of a blob: the result is cached by it. `reader` is the user who
   * reads: the texts of one user cannot take the capacity of all.
   */
  lines(
    key: string,
    text: string,
    language: string,
    reader: string,
  ): Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}

export interface HighlightRequest {
  readonly text: string;
  readonly language: string;
}

export interface HighlightAnswer {
  readonly lines: readonly string[] | undefined;
}

interface HighlightLimits {
  readonly charactersMax: number;
  /** Some texts take an expression of a language for ever. */
  readonly milliseconds: number;
  readonly waitingMax: number;
  readonly waitingOfOneMax: number;
  /** A page waits no longer for its colours; it has them when it is asked for again. */
  readonly pageMilliseconds: number;
  /** Of all results together. */
  readonly cachedCharactersMax: number;
}

/**
 * Highlighted code: longer files, those that take longer, and those that too many others of the same client or of all wait
 * before are shown without colours. Some texts take an expression of a language for ever.
 */
const defaultLimits: HighlightLimits = {
  charactersMax: 256 * 1024,
  milliseconds: 2000,
  waitingMax: 32,
  waitingOfOneMax: 8,
  pageMilliseconds: 500,
  cachedCharactersMax: 16 * 1024 * 1024,
};

/** Time to load the languages, on a machine with much else to do. */
const startMilliseconds = 30_000;

/** The thread starts with the first text. */
export function createHighlighter(limits: Partial<HighlightLimits> = {}): Highlighter {
  return new HighlightThread({ ...defaultLimits, ...limits });
}

interface Pending {
  readonly result: Promise<readonly string[] | undefined>;
  /** Who asked first. */
  readonly reader: string;
}

class HighlightThread implements Highlighter {
  readonly #limits: HighlightLimits;
  /** What was used last is at the end. */
  readonly #cache = new Map<string, readonly string[] | undefined>();
  readonly #pending = new Map<string, Pending>();
  #cachedCharacters = 0;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(limits: HighlightLimits) {
    this.#limits = limits;
  }

  async lines(
    key: string,
    text: string,
    language: string,
    reader: string,
  ): Promise<readonly string[] | undefined> {
    const name = `${language} ${key}`;
    if (this.#cache.has(name)) return this.#use(name);
    const pending = this.#pending.get(name);
    if (pending) return this.#waitFor(pending.result);
    const refused = text.length > this.#limits.charactersMax || !this.#mayWait(reader);
    if (refused || this.#closed) return undefined;
    const result = this.#last.then(() => this.#run({ text, language }));
    this.#last = result;
    const cached = result.then((lines) => {
      this.#pending.delete(name);
      if (!this.#closed) this.#store(name, lines);
      return lines;
    });
    this.#pending.set(name, { result: cached, reader });
    return this.#waitFor(cached);
  }

  #mayWait(reader: string): boolean {
    const own = [...this.#pending.values()].filter((pending) => pending.reader === reader);
    const { waitingMax, waitingOfOneMax } = this.#limits;
    return this.#pending.size < waitingMax && own.length < waitingOfOneMax;
  }

  async #waitFor(
    result: Promise<readonly string[] | undefined>,
  ): Promise<readonly string[] | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), this.#limits.pageMilliseconds);
    try {
      return await Promise.race([result, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  /** Never rejects: a text that the thread cannot highlight is shown as it is. */
  async #run(request: HighlightRequest): Promise<readonly string[] | undefined> {
    if (this.#closed) return undefined;
    const worker = await this.#started();
    if (!worker) return undefined;
    worker.ref();
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(request);
      const answer: HighlightAnswer = await nextMessage(worker, this.#limits.milliseconds);
      return answer.lines;
    } catch {
      await this.#end(worker);
      return undefined;
    } finally {
      worker.unref();
    }
  }

  async #started(): Promise<Worker | undefined> {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('highlight-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    this.#worker = worker;
    // Waiting callers get the error as well.
    worker.on('error', () => inBackground(this.#end(worker)));
    try {
      // Its first message says that the languages are loaded.
      await nextMessage(worker, startMilliseconds);
      return worker;
    } catch {
      await this.#end(worker);
      return undefined;
    }
  }

  async #end(worker: Worker): Promise<void> {
    if (this.#worker === worker) this.#worker = undefined;
    await worker.terminate();
  }

  #use(name: string): readonly string[] | undefined {
    const lines = this.#cache.get(name);
    this.#cache.delete(name);
    this.#cache.set(name, lines);
    return lines;
  }

  #store(name: string, lines: readonly string[] | undefined): void {
    this.#cache.set(name, lines);
    this.#cachedCharacters += sizeOf(name, lines);
    for (const [oldest, result] of this.#cache) {
      if (this.#cachedCharacters <= this.#limits.cachedCharactersMax) break;
      this.#cache.delete(oldest);
      this.#cachedCharacters -= sizeOf(oldest, result);
    }
  }
}

function sizeOf(name: string, lines: readonly string[] = []): number {
  return lines.reduce((sum, line) => sum + line.length, name.length);
}
