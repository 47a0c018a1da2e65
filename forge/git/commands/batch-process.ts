import type { Child } from '#platform/child-process.ts';
import { inBackground } from '#platform/in-background.ts';

import { GitError } from '../git-error.ts';
import { ByteQueue } from '../format/byte-queue.ts';

/** A line for a batch process and how its response is read. */
export interface BatchRequest<T> {
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

export interface BatchProcessSettings {
  /** How long one response may take, counted from when it is the process's turn to give it. */
  readonly responseSeconds: number;
  /** The process is replaced after this many responses, so that its memory does not grow without limit. */
  readonly maxResponses: number;
}

/** The process ended before it answered. The question may be sent to another one. */
export class BatchProcessLost extends GitError {
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
 * in order. On any protocol error (a timeout, unexpected bytes, an unreadable response) the process is
 * killed and all pending questions fail.
 */
export class BatchProcess {
  readonly #child: Child;
  readonly #settings: BatchProcessSettings;
  readonly #pending: PendingRequest[] = [];
  readonly #arrived = new ByteQueue();
  #errorText = '';
  #deadline: NodeJS.Timeout | undefined;
  #requests = 0;
  #lost: string | undefined;
  #killed = false;

  constructor(child: Child, settings: BatchProcessSettings) {
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

  /** False when the process should be given no more questions. */
  get usable(): boolean {
    return this.#lost === undefined && this.#requests < this.#settings.maxResponses;
  }

  get idle(): boolean {
    return this.#pending.length === 0;
  }

  send<T>(request: BatchRequest<T>): Promise<T> {
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

  #error(): BatchProcessLost {
    const output = this.#errorText.trim();
    return new BatchProcessLost(
      `A git batch process failed: ${this.#lost ?? 'unknown'}${output && `; stderr: ${output}`}`,
      this.#killed,
      output,
    );
  }
}

/** The entry of a repository in the pool: a batch process, or an object that owns one. */
export type Pooled = Pick<BatchProcess, 'usable' | 'idle' | 'retire' | 'kill'>;

export interface BatchProcessPoolSettings {
  readonly processesMax: number;
  readonly idleSeconds: number;
}

interface PooledProcess<T> {
  readonly process: T;
  usedAt: number;
}

/**
 * One process for each repository in use: the least recently used ones end when there are too many.
 */
export class BatchProcessPool<T extends Pooled = BatchProcess> {
  readonly #settings: BatchProcessPoolSettings;
  /** In order of use, the latest last. */
  readonly #processes = new Map<number, PooledProcess<T>>();
  readonly #sweep: NodeJS.Timeout;

  constructor(settings: BatchProcessPoolSettings) {
    this.#settings = settings;
    this.#sweep = setInterval(() => this.#retireIdle(), settings.idleSeconds * 500);
    this.#sweep.unref();
  }

  /** The repository's process, started when there is none. */
  get(repositoryId: number, start: () => T): T {
    const pooled = this.#processes.get(repositoryId);
    this.#processes.delete(repositoryId);
    if (pooled && !pooled.process.usable) pooled.process.retire();
    const current = pooled?.process.usable ? pooled.process : start();
    this.#processes.set(repositoryId, { process: current, usedAt: performance.now() });
    this.#retireSurplus();
    return current;
  }

  /** Ends the repository's process at once, because the repository goes away. */
  async drop(repositoryId: number): Promise<void> {
    const pooled = this.#processes.get(repositoryId);
    this.#processes.delete(repositoryId);
    await pooled?.process.kill();
  }

  /** Ends the repository's process when it has answered what it was asked: it keeps removed packs open. */
  retire(repositoryId: number): void {
    this.#processes.get(repositoryId)?.process.retire();
    this.#processes.delete(repositoryId);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const processes = [...this.#processes.values()].map((pooled) => pooled.process);
    this.#processes.clear();
    await Promise.all(processes.map((each) => each.kill()));
  }

  #retireSurplus(): void {
    for (const [repositoryId, pooled] of this.#processes) {
      if (this.#processes.size <= this.#settings.processesMax) return;
      this.#processes.delete(repositoryId);
      pooled.process.retire();
    }
  }

  #retireIdle(): void {
    const oldest = performance.now() - this.#settings.idleSeconds * 1000;
    for (const [repositoryId, pooled] of this.#processes) {
      if (pooled.usedAt > oldest) return;
      if (!pooled.process.idle) continue;
      this.#processes.delete(repositoryId);
      pooled.process.retire();
    }
  }
}
