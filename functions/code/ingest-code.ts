import { zippedBytesMax, unzippedBytesMax } from '#functions-contract/limits.ts';

import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import { ArchiveRefusal } from './archives/archive-path.ts';
import type { CodeFiles, StorageReservation, StoredCode, CodeArchive } from './code-files.ts';
import type { CodeStorageQuota } from './code-storage-quota.ts';
import type { Images } from './images/images.ts';
import {
  noSuchBucket,
  objectRefusal,
  storeMilliseconds,
  type ObjectName,
  type ObjectStore,
} from './objects/object-store.ts';
import type { RepositoryCode } from './objects/repository-objects.ts';

/**
 * Fetches, unpacks and stores the archive of a request, and passes it to `use`, which writes the rows that name it. Refuses with the
 * recorded errors.
 */
export async function ingestCode<T>(
  files: CodeFiles,
  objects: ObjectStore | undefined,
  source: CodeSource,
  use: (code: StoredCode) => Promise<T>,
  reserve?: StorageReservation,
  milliseconds = storeMilliseconds,
): Promise<T> {
  const within = AbortSignal.timeout(milliseconds);
  const ingest = async (): Promise<T> => {
    const archive = await openSource(source, objects, within);
    return files.ingest(archive, use, reserve, within);
  };
  try {
    return await (source.kind === 'inline' ? ingest() : files.whileFetching(ingest));
  } catch (error) {
    throw codeRefusal(error);
  }
}

/** The source of a request's archive. */
type CodeSource =
  | { readonly kind: 'inline'; readonly bytes: Uint8Array }
  | ({ readonly kind: 'object' } & ObjectName);

/** Opens the archive. Throws the recorded errors; the limit of the zipped size applies only to archives in requests. */
export async function openSource(
  source: CodeSource,
  objects: ObjectStore | undefined,
  within?: AbortSignal,
): Promise<CodeArchive> {
  if (source.kind === 'inline') {
    if (source.bytes.length <= zippedBytesMax) return source.bytes;
    throw new FunctionsError(
      'RequestEntityTooLargeException',
      `Zipped size must be smaller than ${zippedBytesMax} bytes`,
    );
  }
  // Without an object store there are no buckets.
  const object = (await objects?.open(source, within)) ?? noSuchBucket;
  if (object.kind === 'object') return object.content;
  throw objectRefusal(object.code, object.message);
}

/** The recorded error for an archive that was refused; any other error is returned unchanged. */
function codeRefusal(error: unknown): unknown {
  if (!(error instanceof ArchiveRefusal)) return error;
  switch (error.kind) {
    case 'damaged':
      return invalidParameter(notUnzipped);
    case 'forbidden':
      // AWS has no message for these; without the reason the caller could not find the entry.
      return invalidParameter(`${notUnzipped} ${error.message}`);
    case 'too-large':
      return invalidParameter(unzippedTooLarge);
    case 'busy':
      return new FunctionsError('TooManyRequestsException', error.message, {
        retryAfterSeconds: 1,
      });
  }
}

/** Code, the first of the sizes, and layers count together (docs/limits.md). Code alone was checked when it was unzipped. */
export function unzippedSizeRefusal(sizes: readonly number[]): FunctionsError | undefined {
  const sum = sizes.reduce((one, other) => one + other, 0);
  return sizes.length > 1 && sum > unzippedBytesMax
    ? invalidParameter(unzippedTooLarge)
    : undefined;
}

const notUnzipped =
  'Could not unzip uploaded file. Please check your file, then try to upload again.';

const unzippedTooLarge = `Unzipped size must be smaller than ${unzippedBytesMax} bytes`;

export interface CodePorts {
  readonly code: CodeFiles;
  readonly codeStorage: CodeStorageQuota;
  readonly images: Images;
  /** Undefined where the operator has configured no object store. */
  readonly objects: ObjectStore | undefined;
  /** Undefined where this service runs without the forge. */
  readonly repositories: RepositoryCode | undefined;
}
