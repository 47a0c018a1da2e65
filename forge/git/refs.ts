import { join } from 'node:path';

import type { Ref, RefUpdate, RefUpdateResult } from './git.ts';
import { GitError } from './git-error.ts';
import { runIn, writingTo } from './git-directory.ts';
import type { GitDirectory } from './git-directory.ts';
import { isObjectType } from './helpers/cat-file.ts';
import { expectObjectId, noObject, parseRefName } from './names.ts';
import type { BranchName, ObjectId, RefName } from './names.ts';
import { readRefFile } from './ref-files.ts';

export async function setHead(directory: GitDirectory, branch: BranchName): Promise<void> {
  await writingTo(directory, async () => {
    await runIn(directory, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
    await directory.host.durability.sync(join(directory.path, 'HEAD'));
    await directory.host.durability.sync(directory.path);
  });
}

export function readRef(directory: GitDirectory, ref: RefName): Promise<ObjectId | undefined> {
  return readRefFile(directory.path, ref);
}

const refFormat = '%(objectname) %(objecttype) %(refname)';

export async function listRefs(directory: GitDirectory, prefix: string): Promise<Ref[]> {
  // for-each-ref takes whole path components and glob characters, which no ref name has.
  if (!prefix.startsWith('refs/') || /[*?[\\\0\n]/.test(prefix)) return [];
  const pattern = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const { bytes } = await runIn(directory, [
    'for-each-ref',
    `--format=${refFormat}`,
    '--',
    pattern,
  ]);
  const lines = bytes
    .toString()
    .split('\n')
    .filter((line) => line.includes(` ${prefix}`));
  const refs = await Promise.all(lines.map((line) => parseRef(directory, line)));
  return refs.filter((ref) => ref !== undefined);
}

async function parseRef(directory: GitDirectory, line: string): Promise<Ref | undefined> {
  const [object, type = '', ...rest] = line.split(' ');
  const name = parseRefName(rest.join(' '));
  if (!name || !isObjectType(type)) return undefined;
  const id = expectObjectId(object);
  return { name, id, type, peeled: type === 'tag' ? await peel(directory, id) : id };
}

/** The object that a chain of annotated tags ends at. */
async function peel(directory: GitDirectory, tag: ObjectId): Promise<ObjectId> {
  const { catFiles } = directory.host;
  const header = await catFiles.info(directory.id, directory.path, `${tag}^{}`);
  return header?.id ?? tag;
}

/**
 * Moves refs in one transaction and makes it durable. git says in words why it refused, so the reason is found by
 * looking at the refs instead.
 */
export async function updateRefs(
  directory: GitDirectory,
  updates: readonly RefUpdate[],
): Promise<RefUpdateResult> {
  return writingTo(directory, async () => {
    const needed = await withoutEmptyDeletes(directory, updates);
    if (needed.length === 0) return { kind: 'updated' };
    for (let attempt = 1; ; attempt += 1) {
      const failure = await tryUpdate(directory, needed);
      if (!failure) break;
      const refusal = await findRefusal(directory, needed);
      if (refusal) return refusal;
      // A ref that moved away and back meanwhile leaves nothing to see: then the second try succeeds.
      if (attempt === 2) throw failure;
    }
    await syncRefs(
      directory,
      needed.map((update) => update.ref),
    );
    return { kind: 'updated' };
  });
}

/** Makes changed refs durable: their directories, and the repository's own for `packed-refs`. */
export async function syncRefs(directory: GitDirectory, refs: readonly RefName[]): Promise<void> {
  const paths = refs.map((ref) => join(directory.path, ref));
  await directory.host.durability.syncParents(paths, directory.path);
}

/** Deleting what is absent without a comparison is done already; git calls it an error. */
async function withoutEmptyDeletes(
  directory: GitDirectory,
  updates: readonly RefUpdate[],
): Promise<RefUpdate[]> {
  const needed: RefUpdate[] = [];
  for (const update of updates) {
    const isBlindDelete = update.new === noObject && update.old === undefined;
    if (isBlindDelete && (await readRef(directory, update.ref)) === undefined) continue;
    needed.push(update);
  }
  return needed;
}

async function tryUpdate(
  directory: GitDirectory,
  updates: readonly RefUpdate[],
): Promise<GitError | undefined> {
  const input = ['start', ...updates.map(updateLine), 'prepare', 'commit', ''].join('\0');
  try {
    await runIn(directory, ['update-ref', '--no-deref', '--stdin', '-z'], { input });
    return undefined;
  } catch (error) {
    if (error instanceof GitError && error.kind === 'failed') return error;
    throw error;
  }
}

/** One command of `update-ref --stdin -z`; an empty old value means that none is compared. */
function updateLine({ ref, old, new: next }: RefUpdate): string {
  if (next !== noObject) return `update ${ref}\0${next}\0${old ?? ''}`;
  return old === noObject ? `verify ${ref}\0${noObject}` : `delete ${ref}\0${old ?? ''}`;
}

async function findRefusal(
  directory: GitDirectory,
  updates: readonly RefUpdate[],
): Promise<RefUpdateResult | undefined> {
  for (const { ref, old } of updates) {
    if (old === undefined) continue;
    if (((await readRef(directory, ref)) ?? noObject) !== old) return { kind: 'moved' };
  }
  const deleted = new Set(updates.filter((each) => each.new === noObject).map((each) => each.ref));
  const created = updates.filter((each) => each.new !== noObject).map((each) => each.ref);
  for (const ref of created) {
    const others = await neighbours(directory, ref);
    const inTheWay = [...others, ...created].some(
      (other) => !deleted.has(other) && isFileAndFolder(ref, other),
    );
    if (inTheWay) return { kind: 'name-conflict' };
  }
  return undefined;
}

/** Refs that could be a folder of this one, or be in it. */
async function neighbours(directory: GitDirectory, ref: RefName): Promise<RefName[]> {
  const segments = ref.split('/');
  const above = segments.slice(0, -1).map((_, index) => segments.slice(0, index + 1).join('/'));
  const patterns = [...above.slice(2), ref];
  const { bytes } = await runIn(directory, [
    'for-each-ref',
    '--format=%(refname)',
    '--',
    ...patterns,
  ]);
  return bytes
    .toString()
    .split('\n')
    .map(parseRefName)
    .filter((name) => name !== undefined);
}

function isFileAndFolder(one: RefName, other: RefName): boolean {
  return one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}
