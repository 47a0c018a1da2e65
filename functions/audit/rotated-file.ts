import { type FileHandle, open, rename, rm } from 'node:fs/promises';

import { errorCode } from '#platform/error-code.ts';

/** A file of lines that is rotated when it is full. */
export interface RotatedFile {
  /** Whole lines; one call at a time. */
  append(lines: string): Promise<void>;
  /** Whether the file has no name any more. */
  isRemoved(): Promise<boolean>;
  close(): Promise<void>;
}

/** Of `files` in all, the older ones are called `path.1`, `path.2` and so on; the oldest is dropped. */
export async function openRotatedFile(
  path: string,
  bytes: number,
  files: number,
): Promise<RotatedFile> {
  let { file, size } = await openForLines(path);
  /** A full disk has taken only a part of the last line. */
  let cut = false;

  async function rotate(): Promise<void> {
    await rm(`${path}.${files - 1}`, { force: true });
    for (let number = files - 2; number >= 1; number -= 1) {
      await renameIfThere(`${path}.${number}`, `${path}.${number + 1}`);
    }
    await renameIfThere(path, `${path}.1`);
    const full = file;
    // If this fails, lines are still appended to the full file, and the next append tries again.
    ({ file, size } = await openForLines(path));
    await full.close();
  }

  return {
    async append(lines) {
      const length = Buffer.byteLength(lines);
      if (size > 0 && size + length > bytes) await rotate();
      const text = cut ? `\n${lines}` : lines;
      cut = true;
      await file.appendFile(text);
      cut = false;
      size += length;
    },
    isRemoved: async () => (await file.stat()).nlink === 0,
    close: () => file.close(),
  };
}

interface OpenFile {
  readonly file: FileHandle;
  readonly size: number;
}

/** A line that a crash cut short is ended, so that the next one is a line of its own. */
async function openForLines(path: string): Promise<OpenFile> {
  const file = await open(path, 'a+', 0o600);
  try {
    return { file, size: await endLastLine(file) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The size of the file afterwards. */
async function endLastLine(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  if (size === 0) return size;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  if (last.toString() === '\n') return size;
  await file.appendFile('\n');
  return size + 1;
}

async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}
