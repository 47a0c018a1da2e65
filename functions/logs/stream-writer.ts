import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

import { openRotatedFile, type RotatedFile } from '../audit/rotated-file.ts';

/** File of a log stream; a full one is rotated and replaces the previously rotated one. */
const fileBytesMax = 8 * 1024 * 1024;
/** Replaces missing lines. */
const droppedMessage = 'LOGS_DROPPED Reason: The disk does not keep up with what functions print';

/** Callbacks of a stream's writer to its owner. */
export interface LogStreamContext {
  /** Whether another server may remove the file while it is open: that one does not know for how long this writer will be silent. */
  readonly mayVanish: boolean;
  /** Called before the file is created. */
  removeOldest(): Promise<void>;
  /** Called when its directory exists. */
  noteName(): Promise<void>;
  /** Called with the number of characters that are no longer buffered. */
  written(characters: number): void;
  failed(error: unknown): void;
}

/** Writes one stream, one write at a time: lines that arrive meanwhile are combined in the next. */
export class StreamWriter {
  readonly path: string;
  readonly #around: LogStreamContext;
  #lines: string[] = [];
  /** Lines were dropped after the last buffered one. */
  #dropping = false;
  #file: RotatedFile | undefined;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(path: string, around: LogStreamContext) {
    this.path = path;
    this.#around = around;
  }

  /** Both return the number of characters buffered in addition. */
  add(text: string): number {
    this.#dropping = false;
    this.#lines.push(text);
    return text.length;
  }

  drop(at: number): number {
    if (this.#dropping) return 0;
    const characters = this.add(`${at} ${droppedMessage}\n`);
    this.#dropping = true;
    return characters;
  }

  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Lines added later are written as well: the death of a launcher is reported after its environments have been closed. */
  close(): Promise<void> {
    this.#closed = true;
    this.#writing = this.#writing.then(() => this.#write()).then(() => this.#closeFile());
    return this.#writing;
  }

  async #write(): Promise<void> {
    if (this.#lines.length === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    try {
      if (this.#around.mayVanish && (await this.#file?.isRemoved())) await this.#closeFile();
      this.#file ??= await this.#open();
      await this.#file.append(text);
    } catch (error) {
      this.#around.failed(error);
    } finally {
      this.#around.written(text.length);
    }
    if (this.#closed) await this.#closeFile();
  }

  /** Node ends the process when an open file is garbage-collected. */
  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch((error: unknown) => this.#around.failed(error));
  }

  async #open(): Promise<RotatedFile> {
    await this.#around.removeOldest();
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await this.#around.noteName();
    return openRotatedFile(this.path, fileBytesMax, 2);
  }
}
