import { FunctionsError } from '../errors/functions-error.ts';

/** The room for the code of the whole account: every version of functions and layers counts its archive. */
export interface CodeStorageQuota {
  /**
   * Sets room aside for so many bytes while `store` runs, and refuses before that when there is none. `freed` is what the
   * account will have less once it ran.
   */
  take<T>(bytes: number, freed: number, store: () => Promise<T>): Promise<T>;
}

/**
 * `measure` reads what is stored now. It takes longer with every function, so it is asked at first and whenever the room may
 * have become too small; in between what was added is counted, and what was removed is not.
 */
export function createCodeStorageQuota(
  bytesMax: number,
  measure: () => Promise<number>,
): CodeStorageQuota {
  let known: number | undefined;
  let underWay = 0;
  let added = 0;

  async function measured(): Promise<number> {
    const before = added;
    const bytes = await measure();
    // What was added meanwhile may or may not be in it.
    return bytes + (added - before);
  }

  return {
    async take(bytes, freed, store) {
      if (known === undefined || known + underWay + bytes > bytesMax) known = await measured();
      if (known + underWay + bytes - freed > bytesMax) throw codeStorageExceeded();
      underWay += bytes;
      try {
        const stored = await store();
        known += bytes;
        added += bytes;
        return stored;
      } finally {
        underWay -= bytes;
      }
    },
  };
}

function codeStorageExceeded(): FunctionsError {
  return new FunctionsError('CodeStorageExceededException', 'Code storage limit exceeded.');
}
