import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { isAbsent } from '#platform/absent-files.ts';
import { errorCode } from '#platform/error-code.ts';

import { type Ref, isObjectType } from '../git.ts';
import { requireRepository, runIn, whileMarkedDirty } from '../commands/git-directory.ts';
import type { GitDirectory } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import { expectObjectId, parseObjectId, parseRefName } from '../names.ts';
import type { BranchName, ObjectId, RefName } from '../names.ts';

export async function setHead(directory: GitDirectory, branch: BranchName): Promise<void> {
  await whileMarkedDirty(directory, async () => {
    await runIn(directory, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
    await directory.state.durability.sync(join(directory.path, 'HEAD'));
    await directory.state.durability.sync(directory.path);
  });
}

/**
 * Reads one ref as git's files backend does: the loose file first, then `packed-refs`. git packs in
 * the other order (it writes the packed file before it removes the loose one), so that a reader
 * never misses a ref.
 */
export async function readRef({ path }: GitDirectory, ref: RefName): Promise<ObjectId | undefined> {
  const loose = await readIfPresent(join(path, ref));
  if (loose !== undefined) {
    const id = parseObjectId(loose.trimEnd());
    if (!id) throw new GitError('failed', `The file of ${ref} in ${path} holds no object id.`);
    return id;
  }
  return readPackedRef(path, ref);
}

async function readPackedRef(path: string, ref: RefName): Promise<ObjectId | undefined> {
  const file = join(path, 'packed-refs');
  const packed = await readPackedRefs(file);
  if (packed === undefined) {
    // A repository without refs and one that is not there look alike until here.
    await requireRepository({ path });
    return undefined;
  }
  // Each line is `<object> <name>`, the name to the end of the line.
  const at = packed.indexOf(` ${ref}\n`);
  return at < 40 ? undefined : parseObjectId(packed.toString('latin1', at - 40, at));
}

/**
 * git replaces the file by renaming and never modifies it, so one stat shows whether the cached text is current.
 */
interface PackedRefs {
  readonly version: string;
  readonly text: Buffer;
}

const packedRefsCache = new Map<string, PackedRefs>();
/** Files of packed refs that are cached. */
const packedRefsCacheMax = 64;
/** File of packed refs that is cached; larger ones are read anew. */
const packedRefsBytesMax = 4 * 1024 * 1024;

async function readPackedRefs(file: string): Promise<Buffer | undefined> {
  const version = await versionOf(file);
  if (version === undefined) return undefined;
  const cached = packedRefsCache.get(file);
  if (cached?.version === version) return cached.text;
  const text = await readIfPresentBytes(file);
  if (text === undefined) return undefined;
  packedRefsCache.delete(file);
  // Cached only if the file did not change while it was read.
  if (text.length <= packedRefsBytesMax && (await versionOf(file)) === version) {
    packedRefsCache.set(file, { version, text });
    const [oldest] = packedRefsCache.keys();
    if (packedRefsCache.size > packedRefsCacheMax && oldest !== undefined) {
      packedRefsCache.delete(oldest);
    }
  }
  return text;
}

async function versionOf(file: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function readIfPresent(file: string): Promise<string | undefined> {
  return (await readIfPresentBytes(file))?.toString('latin1');
}

async function readIfPresentBytes(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    const isDirectory = errorCode(error) === 'EISDIR';
    if (isAbsent(error) || isDirectory) return undefined;
    throw error;
  }
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
    .filter((line) => line.includes(` ${prefix}`) && !line.includes(' refs/internal/'));
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
  const { catFiles } = directory.state;
  const header = await catFiles.info(directory.id, directory.path, `${tag}^{}`);
  return header?.id ?? tag;
}
