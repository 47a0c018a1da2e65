import { zippedBytesMax } from '#functions-contract/limits.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import type { CodeArchive } from './code-files.ts';
import { objectRefusal } from './code-refusal.ts';
import { noSuchBucket } from './objects/object-store.ts';
import type { ObjectName, ObjectStore } from './objects/object-store.ts';

/** Where a request says that its archive is. */
export type CodeSource =
  | { readonly kind: 'inline'; readonly bytes: Uint8Array }
  | ({ readonly kind: 'object' } & ObjectName);

/** The archive itself. Throws the recorded errors; the limit of the zipped size is one of requests only. */
export async function openSource(
  source: CodeSource,
  objects: ObjectStore | undefined,
): Promise<CodeArchive> {
  if (source.kind === 'inline') {
    if (source.bytes.length <= zippedBytesMax) return source.bytes;
    throw new FunctionsError(
      'RequestEntityTooLargeException',
      `Zipped size must be smaller than ${zippedBytesMax} bytes`,
    );
  }
  // Without an object store there are no buckets.
  const object = (await objects?.open(source)) ?? noSuchBucket;
  if (object.kind === 'object') return object.content;
  throw objectRefusal(object.code, object.message);
}
