import type { Child } from '#platform/child-process.ts';
import { inBackground } from '#platform/in-background.ts';

import { GitError } from '../git-error.ts';
import { ByteQueue } from '../format/byte-queue.ts';

/** A line for a helper and how its response is read. */
export interface HelperRequest<T> {
  readonly line: string;
  /**
   * Reads the response from what has arrived, or undefined until all of it has. Called again with
   * more bytes.
   */
  readonly read: (arrived: ByteQueue) => { readonly response: T } | undefined;
}

interface PendingRequest {
  /** True once the whole response was read. */
  readonly parse: (arrived: ByteQueue) => boolean;
  readonly reject: (error: Error) => void;
}

export interface HelperSettings {
  /** How long one response may take, counted from when it is the helper's turn to give it. */
  readonly responseSeconds: number;
  /** The helper is replaced after this many responses, so that its memory does not grow without limit. */
  readonly maxResponses: number;
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
 * in order. On any protocol error (a timeout, unexpected bytes, an unreadable response) the helper is
 * killed and all pending questions fail.
 */
export class Helper {
  readonly #child: Child;
  readonly #settings: HelperSettings;
  readonly #pending: PendingRequest[] = [];
  readonly #arrived = new ByteQueue();
  #errorText = '';
  #deadline: NodeJS.Timeout | undefined;
  #requests = 0;
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
    return this.#lost === undefined && this.#requests < this.#settings.maxResponses;
  }

  get idle(): boolean {
    return this.#pending.length === 0;
  }

  send<T>(request: HelperRequest<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#lost !== undefined) {
        reject(this.#error());
        return;
      }
      this.#pending.push({
        parse(arrived) {
          const read = request.read(arrived);
          if (read) resolve(read.response);
          return read !== undefined;
        },
        reject,
      });
      this.#requests += 1;
      if (this.#pending.length === 1) this.#startDeadline();
      this.#child.stdin.write(request.line);
    });
  }

  /** Lets it answer the pending questions and exit. */
  retire(): void {
    this.#requests = Number.POSITIVE_INFINITY;
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
    for (let next = this.#pending[0]; next; next = this.#pending[0]) {
      if (!next.parse(this.#arrived)) return;
      this.#pending.shift();
      this.#startDeadline();
    }
    if (this.#arrived.length > 0) this.#lose('unexpected output');
  }

  #startDeadline(): void {
    clearTimeout(this.#deadline);
    if (this.#pending.length === 0) return;
    this.#deadline = setTimeout(
      () => this.#lose(`no output for ${this.#settings.responseSeconds} seconds`),
      this.#settings.responseSeconds * 1000,
    );
  }

  #lose(reason: string): void {
    this.#lost ??= reason;
    clearTimeout(this.#deadline);
    this.#killed ||= this.#child.kill();
    for (const pending of this.#pending.splice(0)) pending.reject(this.#error());
  }

  #error(): HelperLost {
    const output = this.#errorText.trim();
    return new HelperLost(
      `A git helper process failed: ${this.#lost ?? 'unknown'}${output && `; stderr: ${output}`}`,
      this.#killed,
      output,
    );
  }
}
