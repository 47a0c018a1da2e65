import type { Child } from '#platform/child-process.ts';
import { inBackground } from '#platform/in-background.ts';

import { GitError } from '../git-error.ts';
import { ByteQueue } from '../format/byte-queue.ts';

/** A line for a helper and how its answer is read. */
export interface Question<T> {
  readonly line: string;
  /**
   * Reads the answer from what has arrived, or undefined until all of it has. Called again with
   * more bytes.
   */
  readonly read: (arrived: ByteQueue) => { readonly answer: T } | undefined;
}

interface Asked {
  /** True once the whole answer was read. */
  readonly parse: (arrived: ByteQueue) => boolean;
  readonly reject: (error: Error) => void;
}

export interface HelperSettings {
  /** How long one answer may take, counted from when it is the helper's turn to give it. */
  readonly answerSeconds: number;
  /** The helper is replaced after this many answers, so that its memory does not grow without limit. */
  readonly answersMax: number;
}

/** The helper ended before it answered. The question may be sent to another one. */
export class HelperLost extends GitError {
  /** It was killed during an operation; otherwise git ended by itself and cleaned up. */
  readonly killed: boolean;
  /** The end of its standard error. */
  readonly errorText: string;

  constructor(message: string, killed: boolean, errorText: string) {
    super('failed', message);
    this.killed = killed;
    this.errorText = errorText;
  }
}

/**
 * A long-lived git command that answers one line at a time. Questions are sent at once and answered
 * in order. On any protocol error (a timeout, unexpected bytes, an unreadable answer) the helper is
 * killed and all pending questions fail.
 */
export class Helper {
  readonly #child: Child;
  readonly #settings: HelperSettings;
  readonly #asked: Asked[] = [];
  readonly #arrived = new ByteQueue();
  #errorText = '';
  #deadline: NodeJS.Timeout | undefined;
  #answers = 0;
  #lost: string | undefined;
  #killed = false;

  constructor(child: Child, settings: HelperSettings) {
    this.#child = child;
    this.#settings = settings;
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errorText = (this.#errorText + text).slice(-2000);
    });
    inBackground(
      child.ended.then((end) => {
        this.#killed ||= end.status === undefined;
        this.#lose('it ended');
      }),
    );
  }

  /** False when the helper should be given no more questions. */
  get usable(): boolean {
    return this.#lost === undefined && this.#answers < this.#settings.answersMax;
  }

  get idle(): boolean {
    return this.#asked.length === 0;
  }

  ask<T>(question: Question<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#lost !== undefined) {
        reject(this.#error());
        return;
      }
      this.#asked.push({
        parse(arrived) {
          const read = question.read(arrived);
          if (read) resolve(read.answer);
          return read !== undefined;
        },
        reject,
      });
      this.#answers += 1;
      if (this.#asked.length === 1) this.#startDeadline();
      this.#child.stdin.write(question.line);
    });
  }

  /** Lets it answer the pending questions and exit. */
  retire(): void {
    this.#answers = Number.POSITIVE_INFINITY;
    this.#child.stdin.end();
  }

  async kill(): Promise<void> {
    this.#lose('closed');
    await this.#child.ended;
  }

  #receive(chunk: Buffer): void {
    this.#arrived.push(chunk);
    try {
      this.#parseAll();
    } catch (error) {
      this.#lose(`invalid output (${error instanceof Error ? error.message : ''})`);
    }
  }

  #parseAll(): void {
    for (let next = this.#asked[0]; next; next = this.#asked[0]) {
      if (!next.parse(this.#arrived)) return;
      this.#asked.shift();
      this.#startDeadline();
    }
    if (this.#arrived.length > 0) this.#lose('unexpected output');
  }

  #startDeadline(): void {
    clearTimeout(this.#deadline);
    if (this.#asked.length === 0) return;
    this.#deadline = setTimeout(
      () => this.#lose(`no output for ${this.#settings.answerSeconds} seconds`),
      this.#settings.answerSeconds * 1000,
    );
  }

  #lose(reason: string): void {
    this.#lost ??= reason;
    clearTimeout(this.#deadline);
    this.#killed ||= this.#child.kill();
    for (const asked of this.#asked.splice(0)) asked.reject(this.#error());
  }

  #error(): HelperLost {
    const said = this.#errorText.trim();
    return new HelperLost(
      `A git helper process failed: ${this.#lost ?? 'unknown'}${said && `; stderr: ${said}`}`,
      this.#killed,
      said,
    );
  }
}
