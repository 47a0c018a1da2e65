import { FunctionsError } from '../../errors/functions-error.ts';

/** What an operation shows; undefined where it is not there. */
export async function orAbsent<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof FunctionsError && error.code === 'ResourceNotFoundException') {
      return undefined;
    }
    throw error;
  }
}
