import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

import { openRotatedFile, type RotatedFile } from '../audit/rotated-file.ts';

/** Of a file; a full one is put aside, and the one put aside before is dropped. */
const fileBytesMax = 8 * 1024 * 1024;
/** Stands where lines are missing. */
const droppedMessage = 'LOGS_DROPPED Reason: The disk does not keep up with what functions print';

/** What a stream's writer tells to whoever has them all. */
export interface LogStreamContext {
  /** Before the file is made. */
  removeOldest(): Promise<void>;
  /** Once its folder is there. */
  noteName(): Promise<void>;
  /** So much does not wait any more. */
  written(characters: number): void;
  failed(error: unknown): void;
}

/** Writes one stream, a write at a time: what comes meanwhile goes together with the next. */
export class StreamWriter {
  readonly path: string;
  readonly #around: LogStreamContext;
  #lines: string[] = [];
  /** Lines are missing since the last that is waiting. */
  #dropping = false;
  #file: RotatedFile | undefined;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(path: string, around: LogStreamContext) {
    this.path = path;
    this.#around = around;
  }

  /** Both answer with the characters that wait now in addition. */
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

  /** What is added after this is written as well: a launcher that died is reported when its environments are closed already. */
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
      this.#file ??= await this.#open();
      await this.#file.append(text);
    } catch (error) {
      this.#around.failed(error);
    } finally {
      this.#around.written(text.length);
    }
    if (this.#closed) await this.#closeFile();
  }

  /** Node ends the process when an open file is collected as garbage. */
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
