import { chmod, mkdir, open, type FileHandle } from 'node:fs/promises';

interface FileAttributes {
  /** Its permission bits, regardless of the umask. */
  readonly mode: number;
  /** Seconds since the epoch. */
  readonly modified: number;
}

type Content = (write: (piece: Uint8Array) => Promise<void>) => Promise<void>;

/** Creates a file, never through a link or over another file, and resolves when it is durable. */
export async function writeNewFile(
  path: string,
  { mode, modified }: FileAttributes,
  content: Content,
): Promise<void> {
  await written(path, content, async (file) => {
    await file.utimes(modified, modified);
    await file.chmod(mode);
  });
}

/** The same for a file that only this server may read. */
export async function writePrivateFile(path: string, content: Content): Promise<void> {
  await written(path, content, async () => {});
}

async function written(
  path: string,
  content: Content,
  prepare: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await content(async (piece) => {
      for (let done = 0; done < piece.length;) {
        done += (await file.write(piece, done)).bytesWritten;
      }
    });
    await prepare(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Creates a directory that any user of the host can read, regardless of the umask. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path);
  await chmod(path, 0o755);
}

/** Makes the content of a file that was copied survive a crash. */
export async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.sync();
}

/** Makes the entries of directories durable; parents come first in the list and are synced last. */
export async function syncFolders(paths: readonly string[]): Promise<void> {
  const tasks = boundedTasks(4);
  try {
    for (const path of paths.toReversed()) await tasks.start(() => syncFolder(path));
  } finally {
    await tasks.ended();
  }
}

export async function syncFolder(path: string): Promise<void> {
  await syncFile(path);
}

/** Runs tasks concurrently, up to a limit. */
interface BoundedTasks {
  /** Resolves when the task has started. Rejects when an earlier one failed. */
  start(task: () => Promise<void>): Promise<void>;
  /** Resolves when all tasks have ended. Rejects when one failed. */
  ended(): Promise<void>;
}

export function boundedTasks(atOnce: number): BoundedTasks {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;

  async function run(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      failure ??= { error };
    }
  }

  return {
    async start(task) {
      while (running.size >= atOnce) await Promise.race(running);
      if (failure) throw failure.error;
      const ended = run(task).finally(() => running.delete(ended));
      running.add(ended);
    },
    async ended() {
      await Promise.all(running);
      if (failure) throw failure.error;
    },
  };
}
