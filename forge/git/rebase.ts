import { formatSignature } from './signature.ts';
import type { RebaseResult, Signature } from './git.ts';
import { runIn, writingTo } from './git-directory.ts';
import type { GitDirectory } from './git-directory.ts';
import { GitError } from './git-error.ts';
import { writeObject, writePassingObject } from './loose-object.ts';
import { expectObjectId } from './names.ts';
import type { ObjectId } from './names.ts';
import { readObject } from './objects.ts';
import { mergeTrees } from './merge.ts';
import { decodeText, headerText, parseRawObject } from './raw-object.ts';
import type { RawObject } from './raw-object.ts';

const picksMax = 10_000;

/** A commit to be re-created, with what its header says. */
interface Pick {
  readonly id: ObjectId;
  readonly raw: RawObject;
  readonly tree: ObjectId;
  readonly parent: ObjectId | undefined;
  /** Its patch is in the upstream already. */
  readonly alreadyThere: boolean;
}

type Picked =
  | { readonly kind: 'commit'; readonly id: ObjectId }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'conflict' };

export function rebase(
  directory: GitDirectory,
  upstream: ObjectId,
  head: ObjectId,
  committer: Signature,
): Promise<RebaseResult> {
  return writingTo(directory, async () => {
    const commits: ObjectId[] = [];
    let tip = upstream;
    for (const pick of await listPicks(directory, upstream, head)) {
      const picked = await pickOnto(directory, tip, pick, committer);
      if (picked.kind === 'conflict') return { kind: 'conflict', commit: pick.id };
      if (picked.kind === 'dropped') continue;
      tip = picked.id;
      commits.push(tip);
    }
    return { kind: 'clean', tip, commits };
  });
}

/**
 * What `git rebase` would put on its list: no merges, the oldest first, marked where the upstream
 * has the patch.
 */
async function listPicks(
  directory: GitDirectory,
  upstream: ObjectId,
  head: ObjectId,
): Promise<Pick[]> {
  const { bytes } = await runIn(directory, [
    'rev-list',
    '--topo-order',
    '--reverse',
    '--max-parents=1',
    '--cherry-mark',
    '--right-only',
    `--max-count=${picksMax}`,
    '--end-of-options',
    `${upstream}...${head}`,
    '--',
  ]);
  const lines = bytes.toString().split('\n').filter(Boolean);
  const picks: Pick[] = [];
  // Each line is the mark, `=` or `+`, and the commit.
  for (const line of lines) {
    picks.push(await readPick(directory, expectObjectId(line.slice(1)), line.startsWith('=')));
  }
  return picks;
}

async function readPick(
  directory: GitDirectory,
  id: ObjectId,
  alreadyThere: boolean,
): Promise<Pick> {
  const object = await readObject(directory, id);
  if (object?.type !== 'commit') throw new GitError('missing-object', `${id} is no commit.`);
  const raw = parseRawObject(object.content);
  const parent = headerText(raw, 'parent');
  return {
    id,
    raw,
    tree: expectObjectId(headerText(raw, 'tree')),
    parent: parent === undefined ? undefined : expectObjectId(parent),
    alreadyThere,
  };
}

async function pickOnto(
  directory: GitDirectory,
  onto: ObjectId,
  pick: Pick,
  committer: Signature,
): Promise<Picked> {
  // A commit that was empty from the start is kept; one that adds nothing any more is dropped.
  const wasEmpty = await isEmpty(directory, pick);
  if (pick.alreadyThere && !wasEmpty) return { kind: 'dropped' };
  const ontoTree = await treeOf(directory, onto);
  const merged = await mergeChange(directory, ontoTree, pick);
  if (merged === undefined) return { kind: 'conflict' };
  if (merged === ontoTree && !wasEmpty) return { kind: 'dropped' };
  const content = recreate(pick.raw, merged, onto, committer);
  return { kind: 'commit', id: await writeObject(directory, 'commit', content) };
}

/**
 * Applies what a commit changed to a tree, by a three-way merge whose base is the commit's parent.
 * git 2.38 finds the base only by history, so a passing commit with our tree and that parent stands
 * in for our side.
 */
async function mergeChange(
  directory: GitDirectory,
  ontoTree: ObjectId,
  pick: Pick,
): Promise<ObjectId | undefined> {
  let { parent, id: theirs } = pick;
  if (parent === undefined) {
    // A root commit changed nothing before it: both sides stand on an empty commit.
    parent = await writePassingCommit(directory, await writeEmptyTree(directory), undefined);
    theirs = await writePassingCommit(directory, pick.tree, parent);
  }
  const ours = await writePassingCommit(directory, ontoTree, parent);
  const result = await mergeTrees(directory, ours, theirs);
  return result.kind === 'clean' ? result.tree : undefined;
}

function writeEmptyTree(directory: GitDirectory): Promise<ObjectId> {
  return writePassingObject(directory, 'tree', Buffer.alloc(0));
}

function writePassingCommit(
  directory: GitDirectory,
  tree: ObjectId,
  parent: ObjectId | undefined,
): Promise<ObjectId> {
  const lines = [
    `tree ${tree}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    'author hob <> 0 +0000',
    'committer hob <> 0 +0000',
    '',
    '',
  ];
  return writePassingObject(directory, 'commit', Buffer.from(lines.join('\n')));
}

/** The commit again: same author and message, new tree, parent and committer, no signature. */
function recreate(raw: RawObject, tree: ObjectId, parent: ObjectId, committer: Signature): Buffer {
  const encoding = headerText(raw, 'encoding');
  const author = raw.headers.find((header) => header.name === 'author')?.value ?? Buffer.alloc(0);
  const committerLine = formatSignature(committer);
  // Bytes are kept as they are, unless the committer's name may not fit the commit's encoding: then
  // all is UTF-8.
  const recode = encoding !== undefined && /[^\x20-\x7e]/.test(committerLine);
  const text = (bytes: Buffer) => (recode ? Buffer.from(decodeText(bytes, encoding)) : bytes);
  return Buffer.concat([
    Buffer.from(`tree ${tree}\nparent ${parent}\nauthor `),
    text(author),
    Buffer.from(`\ncommitter ${committerLine}\n`),
    Buffer.from(encoding !== undefined && !recode ? `encoding ${encoding}\n` : ''),
    Buffer.from('\n'),
    text(raw.body),
  ]);
}

async function isEmpty(directory: GitDirectory, pick: Pick): Promise<boolean> {
  if (pick.parent === undefined) return false;
  return (await treeOf(directory, pick.parent)) === pick.tree;
}

async function treeOf(directory: GitDirectory, commit: ObjectId): Promise<ObjectId> {
  const object = await readObject(directory, commit);
  if (object?.type !== 'commit') throw new GitError('missing-object', `${commit} is no commit.`);
  return expectObjectId(headerText(parseRawObject(object.content), 'tree'));
}
