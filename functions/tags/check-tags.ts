import { tagsMax } from '#functions-contract/limits.ts';

import { invalidParameter } from '../errors/functions-error.ts';

export type Tags = Readonly<Record<string, string>>;

/** Refuses more tags than a function can have. */
export function checkTags(tags: Tags): void {
  if (Object.keys(tags).length > tagsMax) {
    throw invalidParameter('Number of tags exceeds resource tag limit.');
  }
}
