import { stat } from 'node:fs/promises';

interface FolderLooksOptions {
  readonly look?: (path: string) => Promise<boolean>;
  readonly waitMilliseconds?: number;
}

/** Looks at once, of which each takes one of the four threads that read files, or look up names, for as long as a file system hangs. */
const looksMax = 2;
/** Time for a look at the folder of an access point. */
const waitMillisecondsDefault = 2000;

/** Looks at folders on file systems that may hang, such as those of a network: they do not hold up what the server reads elsewhere. */
export class FolderLooks {
  readonly #look: (path: string) => Promise<boolean>;
  readonly #waitMilliseconds: number;
  /** One for each folder. */
  readonly #looks = new Map<string, Promise<boolean>>();

  constructor({
    look = isFolder,
    waitMilliseconds = waitMillisecondsDefault,
  }: FolderLooksOptions = {}) {
    this.#look = look;
    this.#waitMilliseconds = waitMilliseconds;
  }

  /** Whether it is there; undefined: it does not answer, or others do not. */
  async isThere(path: string): Promise<boolean | undefined> {
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(late.resolve, this.#waitMilliseconds, undefined);
    try {
      while (!this.#looks.has(path) && this.#looks.size >= looksMax)
        if ((await Promise.race([late.promise, ...this.#looks.values()])) === undefined)
          return undefined;
      return await Promise.race([late.promise, this.#begun(path)]);
    } finally {
      clearTimeout(timer);
    }
  }

  #begun(path: string): Promise<boolean> {
    const begun = this.#looks.get(path) ?? this.#look(path).finally(() => this.#looks.delete(path));
    this.#looks.set(path, begun);
    return begun;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // It is not there, or cannot be reached.
    return false;
  }
}
