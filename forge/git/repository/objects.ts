import { inTurns } from '#platform/in-turns.ts';

import type { AnnotatedTag, Commit, NewCommit, NewTag, ObjectInfo } from '../git.ts';
import { GitError } from '../git-error.ts';
import type { GitDirectory } from '../commands/git-directory.ts';
import { formatCommit, formatTag, parseCommit, parseTag } from '../format/commit-object.ts';
import type { ObjectContent, ObjectHeader } from '../commands/cat-file.ts';
import { parseObjectId, parseRefName, type ObjectId } from '../names.ts';
import { readRef } from './refs.ts';
import { objectIdOf, writeObject } from '../commands/loose-object.ts';
import { writeObjects } from '../commands/write-objects.ts';
import type { PackedObject } from '../format/pack.ts';

/** Commit or tag, as far as it is read: the rest of its message is left out, and a signature cannot be checked. */
export const textBytesMax: number = 1024 * 1024;

/** Blob that is read into memory. */
const blobBytesMax = 100 * 1024 * 1024;

/**
 * The object that a revision names. Revisions are ids, or ids with `^{commit}` and the like, made
 * by us.
 */
export function findObject(
  directory: GitDirectory,
  revision: string,
): Promise<ObjectHeader | undefined> {
  return directory.state.catFiles.info(directory.id, directory.path, revision);
}

export function readObject(
  directory: GitDirectory,
  revision: string,
  bytesMax?: number,
): Promise<ObjectContent | undefined> {
  return directory.state.catFiles.content(directory.id, directory.path, revision, bytesMax);
}

/**
 * The commit that a user's input names; `HEAD` is that of the default branch. Refs come before
 * abbreviated ids: a branch may be called `abcdef1`. A full id is never a branch, nor is `HEAD`,
 * because such names are refused.
 */
export async function resolveCommit(
  directory: GitDirectory,
  revision: string,
): Promise<ObjectId | undefined> {
  if (revision === 'HEAD') return (await findObject(directory, 'HEAD^{commit}'))?.id;
  const id = parseObjectId(revision);
  if (id) return (await findObject(directory, `${id}^{commit}`))?.id;
  for (const name of refNamesOf(revision)) {
    const ref = parseRefName(name);
    const named = ref && (await readRef(directory, ref));
    if (named) return (await findObject(directory, `${named}^{commit}`))?.id;
  }
  if (!/^[0-9a-f]{7,39}$/i.test(revision)) return undefined;
  return (await findObject(directory, `${revision.toLowerCase()}^{commit}`))?.id;
}

function refNamesOf(revision: string): string[] {
  const full = revision.startsWith('refs/') ? [revision] : [];
  const short = /^(?:heads|tags)\//.test(revision) ? [`refs/${revision}`] : [];
  return [...full, ...short, `refs/heads/${revision}`, `refs/tags/${revision}`];
}

export async function objectInfo(
  directory: GitDirectory,
  id: ObjectId,
): Promise<ObjectInfo | undefined> {
  const header = await findObject(directory, id);
  return header && { type: header.type, size: header.size };
}

/** Of a message that is too long, the beginning: git takes one of any length, and a pack has it in a thousandth of that. */
export async function readCommit(
  directory: GitDirectory,
  id: ObjectId,
  bytesMax = textBytesMax,
): Promise<Commit | undefined> {
  const object = await readObject(directory, id, bytesMax);
  return object?.type === 'commit' ? parseCommit(id, object.content, object.size) : undefined;
}

/** Commit whose parents alone are wanted, as far as it is read first: few have more than a dozen. */
const parentsBytes = 1024;

/** A commit with its tree and all its parents; the rest may be missing. */
export async function readParents(
  directory: GitDirectory,
  id: ObjectId,
): Promise<Commit | undefined> {
  for (let bytes = parentsBytes; ; bytes *= 2) {
    const object = await readObject(directory, id, bytes);
    if (object?.type !== 'commit') return undefined;
    const { content, size } = object;
    const hasParents = content.length === size || content.includes('\nauthor ');
    if (hasParents || bytes >= textBytesMax) return parseCommit(id, content, size);
  }
}

export async function readTag(
  directory: GitDirectory,
  id: ObjectId,
): Promise<AnnotatedTag | undefined> {
  const object = await readObject(directory, id, textBytesMax);
  return object?.type === 'tag' ? parseTag(id, object.content) : undefined;
}

export async function readBlob(directory: GitDirectory, id: ObjectId): Promise<Buffer | undefined> {
  const header = await findObject(directory, id);
  if (header?.type !== 'blob') return undefined;
  if (header.size > blobBytesMax) {
    throw new GitError('limit', `The blob ${id} is larger than ${blobBytesMax} bytes.`);
  }
  return (await readObject(directory, id))?.content;
}

export function writeBlob(directory: GitDirectory, content: Buffer): Promise<ObjectId> {
  return writeObject(directory, 'blob', content);
}

export async function writeBlobs(
  directory: GitDirectory,
  contents: readonly Buffer[],
): Promise<readonly ObjectId[]> {
  const blobs = await inTurns(contents, (content) => {
    const blob: PackedObject = { type: 'blob', content };
    return [objectIdOf(blob), blob] as const;
  });
  await writeObjects(directory, new Map(blobs));
  return blobs.map(([id]) => id);
}

export async function writeCommit(directory: GitDirectory, commit: NewCommit): Promise<ObjectId> {
  await requireObject(directory, commit.tree, 'tree');
  for (const parent of commit.parents) await requireObject(directory, parent, 'commit');
  return writeObject(directory, 'commit', formatCommit(commit));
}

export async function writeTag(directory: GitDirectory, tag: NewTag): Promise<ObjectId> {
  await requireObject(directory, tag.object, tag.type);
  return writeObject(directory, 'tag', formatTag(tag));
}

async function requireObject(directory: GitDirectory, id: ObjectId, type: string): Promise<void> {
  const header = await findObject(directory, id);
  if (header?.type === type) return;
  const problem = header ? `is a ${header.type}` : 'does not exist';
  throw new GitError('missing-object', `Expected a ${type}, but object ${id} ${problem}.`);
}
