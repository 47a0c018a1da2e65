import { refuse } from '../errors/api-error.ts';
import { type ObjectId, parseObjectId } from '../git/names.ts';

/** An object's id in a request; `name` is what the request calls it. */
export function requiredSha(text: string, name: string): ObjectId {
  return (
    parseObjectId(text) ??
    refuse({
      kind: 'unprocessable',
      message: `The ${name} parameter must be exactly 40 characters and contain only [0-9a-f].`,
    })
  );
}

/** Bodies that carry files: some 30 MB of content in base 64. */
export const contentBodyBytesMax = 40 * 1024 * 1024;
