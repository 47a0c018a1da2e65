import { unzippedBytesMax } from '#functions-contract/limits.ts';

import { invalidParameter } from '../errors/functions-error.ts';
import type { FunctionsError } from '../errors/functions-error.ts';
import { ArchiveRefusal } from './archives/archive-refusal.ts';

/** The recorded answer to an archive that was refused; any other error is left as it is. */
export function codeRefusal(error: unknown): unknown {
  if (!(error instanceof ArchiveRefusal)) return error;
  switch (error.kind) {
    case 'damaged':
      return invalidParameter(notUnzipped);
    case 'forbidden':
      // The vendor has no words for these; without the reason nobody would find the entry.
      return invalidParameter(`${notUnzipped} ${error.message}`);
    case 'too-large':
      return invalidParameter(unzippedTooLarge);
  }
}

/** Code and layers count together (spec, Limits). */
export function checkUnzippedSize(sizes: readonly number[]): void {
  const sum = sizes.reduce((one, other) => one + other, 0);
  if (sum > unzippedBytesMax) throw invalidParameter(unzippedTooLarge);
}

/** What an object store says of a reading that failed, in the recorded frame. */
export function objectRefusal(code: string, message: string): FunctionsError {
  return invalidParameter(
    `Error occurred while GetObject. S3 Error Code: ${code}. S3 Error Message: ${message}`,
  );
}

const notUnzipped =
  'Could not unzip uploaded file. Please check your file, then try to upload again.';
const unzippedTooLarge = `Unzipped size must be smaller than ${unzippedBytesMax} bytes`;
