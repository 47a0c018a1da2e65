import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Clock } from '#platform/clock.ts';
import { inBackground } from '#platform/in-background.ts';
import type { Random } from '#platform/random.ts';

import { fullSuffix, groupFolder, listGroups, listStreams, noteGroupName } from './log-files.ts';
import { StreamWriter } from './stream-writer.ts';

/** The files of every log group. */
export interface LogStreams {
  /** A stream of a group; its file is created with its first line. */
  open(group: string, stream: string): LogStream;
  /** Removes the streams whose last line was written before the time (epoch milliseconds); returns how many. */
  dropOlder(before: number): Promise<number>;
  /** Resolves when every line so far is in its file. */
  flushed(): Promise<void>;
  close(): Promise<void>;
}

export interface LogStream {
  /** Appends a line, without newlines, with its time; never waits. */
  append(line: string, at: number): void;
  close(): Promise<void>;
}

interface LogStreamsOptions {
  /** `logs` in the functions' directory. */
  readonly folder: string;
  /** Whether other servers write streams there, and remove old ones. */
  readonly isShared?: boolean;
  /** Receives errors when lines could not be stored. */
  readonly onError: (error: unknown, group: string) => void;
}

/** Log group, rotated files included; the oldest streams are removed. */
const groupBytesMax = 256 * 1024 * 1024;

/** Streams of a log group; the oldest are removed. */
const groupStreamsMax = 200;

/** Streams that are removed at a time when a log group is full: each scan takes some milliseconds. */
const streamsAtOnce = 10;

/** Characters of logs that wait for the disk; more are dropped and said so. */
const waitingCharactersMax = 32 * 1024 * 1024;

/** Time that a log line may wait before it is written; an invocation never waits for it. */
const flushMilliseconds = 50;

export function openLogStreams(options: LogStreamsOptions): LogStreams {
  return new Streams(options);
}

class Streams implements LogStreams {
  readonly #options: LogStreamsOptions;
  readonly #open = new Set<StreamWriter>();
  /** The number of streams that still fit in each group, by its directory. */
  readonly #freeSpace = new Map<string, number>();
  readonly #touched = new Set<StreamWriter>();
  #timer: NodeJS.Timeout | undefined;
  #waiting = 0;

  constructor(options: LogStreamsOptions) {
    this.#options = options;
  }

  open(group: string, stream: string): LogStream {
    const groupPath = groupFolder(this.#options.folder, group);
    const writer = new StreamWriter(join(groupPath, stream), {
      mayVanish: this.#options.isShared ?? false,
      removeOldest: () => this.#removeOldest(groupPath),
      noteName: () => noteGroupName(groupPath, group),
      written: (characters) => {
        this.#waiting -= characters;
      },
      failed: (error) => this.#options.onError(error, group),
    });
    this.#open.add(writer);
    return {
      append: (line, at) => this.#append(writer, line, at),
      close: async () => {
        await writer.close();
        this.#open.delete(writer);
      },
    };
  }

  async dropOlder(before: number): Promise<number> {
    let dropped = 0;
    const { folder } = this.#options;
    for (const group of await listGroups(folder)) {
      for (const stream of await listStreams(groupFolder(folder, group))) {
        // An open writer would continue to write to the unlinked file.
        if (stream.modified >= before || this.#isOpen(stream.path)) continue;
        await dropStream(stream.path);
        dropped += 1;
      }
    }
    return dropped;
  }

  async flushed(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const touched = [...this.#touched];
    this.#touched.clear();
    await Promise.all(touched.map((writer) => writer.flush()));
  }

  async close(): Promise<void> {
    await this.flushed();
    await Promise.all([...this.#open].map((writer) => writer.close()));
    this.#open.clear();
  }

  #append(writer: StreamWriter, line: string, at: number): void {
    const text = `${at} ${line}\n`;
    this.#waiting +=
      this.#waiting + text.length > waitingCharactersMax ? writer.drop(at) : writer.add(text);
    this.#touched.add(writer);
    this.#timer ??= setTimeout(() => inBackground(this.flushed()), flushMilliseconds).unref();
  }

  /** Before a group gets another stream, removes the oldest ones beyond the limit; never one with an open writer. */
  async #removeOldest(groupPath: string): Promise<void> {
    const free = this.#freeSpace.get(groupPath) ?? 0;
    this.#freeSpace.set(groupPath, (free || streamsAtOnce) - 1);
    if (free > 0) return;
    const streams = await listStreams(groupPath);
    let count = streams.length + streamsAtOnce;
    let bytes = streams.reduce((sum, stream) => sum + stream.bytes, 0);
    for (const stream of streams) {
      if (count <= groupStreamsMax && bytes <= groupBytesMax) return;
      if (this.#isOpen(stream.path)) continue;
      await dropStream(stream.path);
      count -= 1;
      bytes -= stream.bytes;
    }
  }

  #isOpen(path: string): boolean {
    return [...this.#open].some((writer) => writer.path === path);
  }
}

async function dropStream(path: string): Promise<void> {
  await rm(`${path}${fullSuffix}`, { force: true });
  await rm(path, { force: true });
}

/** `2026/11/21/[$LATEST]<32 hexadecimal digits>`: the day on which the environment was created, and its version. */
export function newStreamName(clock: Clock, random: Random, version: string): string {
  const day = new Date(clock.now()).toISOString().slice(0, 10).replaceAll('-', '/');
  return `${day}/[${version}]${random.bytes(16).toString('hex')}`;
}
