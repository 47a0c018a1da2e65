import { open } from 'node:fs/promises';

import { errorCode } from '#platform/error-code.ts';

/** One line of the audit log, as far as it can be read: a crash may have cut it. */
export interface AuditEntry {
  readonly time: string | undefined;
  readonly event: string | undefined;
  readonly principal: string | undefined;
  readonly sourceAddress: string | undefined;
  readonly errorCode: string | undefined;
  /** As JSON. */
  readonly parameters: string;
}

/** End of the audit log that its page reads. */
const readBytesMax = 256 * 1024;

/** The last lines of a rotated file, newest first. */
export async function recentLines(path: string, max: number): Promise<readonly AuditEntry[]> {
  const lines = await lastLines(path);
  // The file has just been rotated.
  const before = lines.length < max ? await lastLines(`${path}.1`) : [];
  return [...before, ...lines].slice(-max).toReversed().map(parseLine);
}

async function lastLines(path: string): Promise<readonly string[]> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - readBytesMax);
    const bytes = Buffer.alloc(Math.min(size, readBytesMax));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    const lines = bytes.toString('utf8', 0, bytesRead).split('\n');
    return (start === 0 ? lines : lines.slice(1)).filter((line) => line !== '');
  } finally {
    await file.close();
  }
}

function parseLine(line: string): AuditEntry {
  const value = parsed(line);
  const text = (name: string): string | undefined => {
    const member: unknown = value && Reflect.get(value, name);
    return typeof member === 'string' ? member : undefined;
  };
  return {
    time: text('time'),
    event: text('event'),
    principal: text('principal'),
    sourceAddress: text('sourceAddress'),
    errorCode: text('errorCode'),
    parameters: value ? (JSON.stringify(Reflect.get(value, 'parameters')) ?? '') : line,
  };
}

function parsed(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
