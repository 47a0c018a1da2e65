import Type, { type Static } from 'typebox';

import { refuse } from '../errors/api-error.ts';
import type { TreeChange } from '../git/git.ts';
import { type ObjectId, parseObjectId, parseTreePath, type TreePath } from '../git/names.ts';
import { nullable } from '../http/schemas.ts';

/** An object's id in a request; `name` is what the request calls it. */
export function parseSha(text: string, name: string): ObjectId {
  return (
    parseObjectId(text) ??
    refuse({
      kind: 'unprocessable',
      message: `The ${name} parameter must be exactly 40 characters and contain only [0-9a-f].`,
    })
  );
}

/** Body of a request for blobs, trees and contents: some 30 MB of content in base 64. */
export const contentBodyBytesMax = 40 * 1024 * 1024;

/** An entry of the tree in a request. As on GitHub, violations are reported as messages without `errors`. */
export const treeEntrySchema = Type.Object({
  path: Type.Optional(Type.String()),
  mode: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  sha: Type.Optional(nullable(Type.String())),
  content: Type.Optional(Type.String()),
});

/** A change with its content, which is not an object yet, or with the object that is to be there. */
export interface TreeEntryInput {
  readonly path: TreePath;
  readonly mode: TreeChange['mode'];
  /** null removes the path. */
  readonly source: { readonly content: string } | { readonly id: ObjectId } | null;
}

const types = {
  '100644': 'blob',
  '100755': 'blob',
  '120000': 'blob',
  '040000': 'tree',
  '160000': 'commit',
} as const;

/** What a mode's object is. */
export function typeOfMode(mode: TreeChange['mode']): 'blob' | 'tree' | 'commit' {
  return types[mode];
}

export function readTreeEntry(entry: Static<typeof treeEntrySchema>): TreeEntryInput {
  const { path, mode, type, sha, content } = entry;
  if (path === undefined || mode === undefined) {
    return unprocessable('Invalid tree info: each entry needs a path and a mode.');
  }
  const treePath =
    parseTreePath(path) ?? unprocessable('tree.path contains a malformed path component');
  const known = readMode(mode);
  if (type !== undefined && type !== types[known]) {
    return unprocessable(
      `tree.type ${type} does not match mode ${mode}, which is for a ${types[known]}.`,
    );
  }
  if (sha === null) return { path: treePath, mode: known, source: null };
  if (sha !== undefined && content !== undefined) {
    return unprocessable('Must supply either tree.sha or tree.content, not both.');
  }
  if (sha !== undefined) {
    return { path: treePath, mode: known, source: { id: parseSha(sha, 'tree.sha') } };
  }
  if (content === undefined) return unprocessable('Must supply tree.sha or tree.content');
  if (types[known] !== 'blob') {
    return unprocessable(`tree.content creates a blob, but mode ${mode} is for a ${types[known]}.`);
  }
  return { path: treePath, mode: known, source: { content } };
}

function readMode(mode: string): TreeChange['mode'] {
  const modes: readonly TreeChange['mode'][] = ['100644', '100755', '040000', '160000', '120000'];
  return (
    modes.find((known) => known === mode) ??
    unprocessable('tree.mode must be one of 100644, 100755, 040000, 160000 and 120000')
  );
}

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}
