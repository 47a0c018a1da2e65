import { type ObjectInfo, isObjectType } from '../git.ts';
import { parseObjectId } from '../names.ts';
import type { ObjectId } from '../names.ts';
import type { ByteQueue } from '../format/byte-queue.ts';
import { BatchProcess, BatchProcessLost, BatchProcessPool } from './batch-process.ts';
import type { BatchRequest } from './batch-process.ts';
import type { GitRunner } from './run-git.ts';

/** An object's header as `cat-file --batch-command` gives it. */
export interface ObjectHeader extends ObjectInfo {
  readonly id: ObjectId;
}

export interface ObjectContent extends ObjectHeader {
  /** Shorter than `size` where only its beginning was asked for. */
  readonly content: Buffer;
}

/** Reads objects through one long-lived `cat-file` for each repository in use. */
export class CatFilePool extends BatchProcessPool {
  readonly #runner: GitRunner;

  constructor(runner: GitRunner) {
    super({ processesMax: 64, idleSeconds: 60 });
    this.#runner = runner;
  }

  info(id: number, path: string, revision: string): Promise<ObjectHeader | undefined> {
    return this.#send(id, path, () => infoRequest(revision));
  }

  /** The object, or its first bytes. */
  content(
    id: number,
    path: string,
    revision: string,
    bytesMax?: number,
  ): Promise<ObjectContent | undefined> {
    return this.#send(id, path, () => contentRequest(revision, bytesMax));
  }

  /** Reading twice is harmless, so a question whose process died is put once more to a new one. */
  async #send<T>(id: number, path: string, request: () => BatchRequest<T>): Promise<T> {
    try {
      return await this.#process(id, path).send(request());
    } catch (error) {
      if (!(error instanceof BatchProcessLost)) throw error;
    }
    try {
      return await this.#process(id, path).send(request());
    } catch (error) {
      if (!(error instanceof BatchProcessLost)) throw error;
      const end = { status: 128, signal: undefined, startError: undefined };
      const command = { arguments: catFileArguments, repositoryPath: path };
      throw await this.#runner.failure(command, end, error.message);
    }
  }

  #process(id: number, path: string): BatchProcess {
    return this.get(id, () => {
      const child = this.#runner.start({
        arguments: catFileArguments,
        repositoryPath: path,
        // Large blobs are streamed out instead of being held whole in the process.
        settings: ['core.bigFileThreshold=1m'],
      });
      return new BatchProcess(child, { responseSeconds: 30, maxResponses: 100_000 });
    });
  }
}

/** The command that answers these questions. */
const catFileArguments: readonly string[] = ['cat-file', '--batch-command'];

const newline = 0x0a;

/** Asks for the type and size of what a revision names. */
export function infoRequest(revision: string): BatchRequest<ObjectHeader | undefined> {
  return {
    line: `info ${revision}\n`,
    read(arrived) {
      const line = takeLine(arrived);
      return line === undefined ? undefined : { response: parseHeader(line) };
    },
  };
}

/** Asks for the object. Of a longer one than `bytesMax`, the rest is not held. */
export function contentRequest(
  revision: string,
  bytesMax = Number.POSITIVE_INFINITY,
): BatchRequest<ObjectContent | undefined> {
  let header: ObjectHeader | undefined;
  let beginning: Buffer | undefined;
  let rest = 0;
  return {
    line: `contents ${revision}\n`,
    read(arrived) {
      if (!header) {
        const line = takeLine(arrived);
        if (line === undefined) return undefined;
        header = parseHeader(line);
        if (!header) return { response: undefined };
      }
      if (header.size > bytesMax) {
        if (!beginning) {
          beginning = arrived.take(bytesMax);
          if (!beginning) return undefined;
          rest = header.size + 1 - bytesMax;
        }
        rest = arrived.drop(rest);
        return rest > 0 ? undefined : { response: { ...header, content: beginning } };
      }
      const content = arrived.take(header.size + 1);
      if (!content) return undefined;
      if (content[header.size] !== newline) throw new Error('the object is longer than announced');
      return { response: { ...header, content: content.subarray(0, header.size) } };
    },
  };
}

function takeLine(arrived: ByteQueue): string | undefined {
  return arrived.takeUntil(newline)?.toString();
}

function parseHeader(line: string): ObjectHeader | undefined {
  const [name = '', type = '', size = ''] = line.split(' ');
  if (type === 'missing' || type === 'ambiguous') return undefined;
  const id = parseObjectId(name);
  if (!id || !isObjectType(type) || !/^\d+$/.test(size)) throw new Error(`not a header: ${line}`);
  return { id, type, size: Number(size) };
}
