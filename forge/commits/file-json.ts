import { present } from '#platform/present.ts';

import type { Json } from '../json/json-values.ts';
import type { FileChange } from '../git/file-change.ts';
import type { ObjectId } from '../git/names.ts';
import type { Urls } from '../json/urls.ts';

/** A changed file (docs/specification/forge.md 9.9). `patch` is absent where there is no text to show. */
export function representFile(
  file: FileChange,
  repositoryFullName: string,
  headSha: ObjectId,
  urls: Urls,
): { [field: string]: Json } {
  return {
    sha: file.id,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: urls.blobHtml(repositoryFullName, headSha, file.path),
    raw_url: urls.rawHtml(repositoryFullName, headSha, file.path),
    contents_url: urls.contents(repositoryFullName, file.path, headSha),
    ...present({ patch: file.patch, previous_filename: file.previousPath }),
  };
}

/** Patch of one file in a response; a longer one is left out. */
export const filePatchBytesMax = 100_000;
/** All patches of a response; those beyond are left out. */
export const patchBytesMax = 1_000_000;
