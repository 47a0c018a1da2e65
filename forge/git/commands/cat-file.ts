import { type ObjectInfo, isObjectType } from '../git.ts';
import { parseObjectId } from '../names.ts';
import type { ObjectId } from '../names.ts';
import type { ByteQueue } from '../format/byte-queue.ts';
import type { BatchRequest } from './batch-process.ts';

/** An object's header as `cat-file --batch-command` gives it. */
export interface ObjectHeader extends ObjectInfo {
  readonly id: ObjectId;
}

export interface ObjectContent extends ObjectHeader {
  readonly content: Buffer;
}

/** The command that answers these questions. */
export const catFileArguments: readonly string[] = ['cat-file', '--batch-command'];

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

/** Asks for the whole object. */
export function contentRequest(revision: string): BatchRequest<ObjectContent | undefined> {
  let header: ObjectHeader | undefined;
  return {
    line: `contents ${revision}\n`,
    read(arrived) {
      if (!header) {
        const line = takeLine(arrived);
        if (line === undefined) return undefined;
        header = parseHeader(line);
        if (!header) return { response: undefined };
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
