import { join } from 'node:path';

import { type Ref, isObjectType } from '../git.ts';
import { runIn, writingTo } from '../commands/git-directory.ts';
import type { GitDirectory } from '../commands/git-directory.ts';
import { expectObjectId, parseRefName } from '../names.ts';
import type { BranchName, ObjectId, RefName } from '../names.ts';
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
  const { catFiles } = directory.host;
  const header = await catFiles.info(directory.id, directory.path, `${tag}^{}`);
  return header?.id ?? tag;
}
