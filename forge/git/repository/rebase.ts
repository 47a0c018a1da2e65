import { formatSignature } from '../format/signature.ts';
import type { Commit, RebaseResult, Signature } from '../git.ts';
import { runIn } from '../commands/git-directory.ts';
import type { GitDirectory } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import type { Quarantine } from '../commands/quarantine.ts';
import { expectObjectId } from '../names.ts';
import type { ObjectId } from '../names.ts';
import { readObject, readParents } from './objects.ts';
import { inQuarantine, mergeIn } from './merge.ts';
import { decodeText, headerText, parseRawObject } from '../format/raw-object.ts';
import type { RawObject } from '../format/raw-object.ts';

/** Commits that a rebase makes again, the latest; pulls that are rebased have far fewer (`rebasedCommitsMax`). */
const picksMax = 10_000;

/** Commit that a rebase makes again: one is in memory at a time, and a shorter copy would lose what its author wrote. */
const recreatedBytesMax = 8 * 1024 * 1024;

/** A commit to be re-created, with what its header says. */
interface RebaseStep {
  readonly id: ObjectId;
  readonly tree: ObjectId;
  readonly parent: ObjectId | undefined;
  /** Its patch is in the upstream already. */
  readonly alreadyThere: boolean;
}

type Picked =
  | { readonly kind: 'commit'; readonly tip: Tip }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'conflict' };

export function rebase(
  directory: GitDirectory,
  upstream: ObjectId,
  head: ObjectId,
  committer: Signature,
): Promise<RebaseResult> {
  return inQuarantine(directory, async (quarantine) => {
    const rebased = await rebaseIn({ directory, quarantine }, upstream, head, committer);
    if (rebased.kind === 'clean') await quarantine.migrate(rebased.tip, 'commit');
    return rebased;
  });
}

/** Whether a rebase would be clean and leave a commit. Nothing of it stays. */
export function testRebase(
  directory: GitDirectory,
  upstream: ObjectId,
  head: ObjectId,
): Promise<boolean> {
  return inQuarantine(directory, async (quarantine) => {
    try {
      const rebased = await rebaseIn({ directory, quarantine }, upstream, head, placeholderAuthor);
      return rebased.kind === 'clean' && rebased.commits.length > 0;
    } catch (error) {
      // A rebase would be refused for the same reason.
      if (error instanceof GitError && error.kind === 'limit') return false;
      throw error;
    }
  });
}

const placeholderAuthor: Signature = { name: 'hob', email: '', seconds: 0, offsetMinutes: 0 };

interface RebaseContext {
  readonly directory: GitDirectory;
  readonly quarantine: Quarantine;
}

/** A new commit, which exists only in the quarantine. */
interface Tip {
  readonly id: ObjectId;
  readonly tree: ObjectId;
}

async function rebaseIn(
  context: RebaseContext,
  upstream: ObjectId,
  head: ObjectId,
  committer: Signature,
): Promise<RebaseResult> {
  const commits: ObjectId[] = [];
  let tip: Tip = { id: upstream, tree: await treeOf(context.directory, upstream) };
  for (const pick of await listPicks(context.directory, upstream, head)) {
    const picked = await pickOnto(context, tip, pick, committer);
    if (picked.kind === 'conflict') return { kind: 'conflict', commit: pick.id };
    if (picked.kind === 'dropped') continue;
    ({ tip } = picked);
    commits.push(tip.id);
  }
  return { kind: 'clean', tip: tip.id, commits };
}

/**
 * The commits that `git rebase` would pick: no merges, oldest first, with a mark if the upstream
 * already contains the patch.
 */
async function listPicks(
  directory: GitDirectory,
  upstream: ObjectId,
  head: ObjectId,
): Promise<RebaseStep[]> {
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
  const picks: RebaseStep[] = [];
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
): Promise<RebaseStep> {
  const { tree, parents } = await readLinks(directory, id);
  return { id, tree, parent: parents[0], alreadyThere };
}

async function pickOnto(
  context: RebaseContext,
  onto: Tip,
  pick: RebaseStep,
  committer: Signature,
): Promise<Picked> {
  // As in git-rebase(1), a commit that was empty from the start stays; one that becomes empty is dropped.
  const wasEmpty = await isEmpty(context.directory, pick);
  if (pick.alreadyThere && !wasEmpty) return { kind: 'dropped' };
  const tree = await mergeChange(context, onto.tree, pick);
  if (tree === undefined) return { kind: 'conflict' };
  if (tree === onto.tree && !wasEmpty) return { kind: 'dropped' };
  const raw = await readWhole(context.directory, pick.id);
  const content = recreate(raw, tree, onto.id, committer);
  return { kind: 'commit', tip: { id: await context.quarantine.write('commit', content), tree } };
}

/**
 * Applies what a commit changed to a tree, by a three-way merge whose base is the commit's parent.
 * git 2.38 finds the base only by history, so a commit with our tree and that parent stands in for
 * our side.
 */
async function mergeChange(
  { directory, quarantine }: RebaseContext,
  ontoTree: ObjectId,
  pick: RebaseStep,
): Promise<ObjectId | undefined> {
  let { parent, id: theirs } = pick;
  if (parent === undefined) {
    // A root commit changed nothing before it: both sides stand on an empty commit.
    const emptyTree = await quarantine.write('tree', Buffer.alloc(0));
    parent = await quarantine.write('commit', placeholderCommit(emptyTree, undefined));
    theirs = await quarantine.write('commit', placeholderCommit(pick.tree, parent));
  }
  const ours = await quarantine.write('commit', placeholderCommit(ontoTree, parent));
  const result = await mergeIn(directory, quarantine, ours, theirs);
  return result.kind === 'clean' ? result.tree : undefined;
}

function placeholderCommit(tree: ObjectId, parent: ObjectId | undefined): Buffer {
  const lines = [
    `tree ${tree}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    'author hob <> 0 +0000',
    'committer hob <> 0 +0000',
    '',
    '',
  ];
  return Buffer.from(lines.join('\n'));
}

/** The commit again: same author and message, new tree, parent and committer, no signature. */
function recreate(raw: RawObject, tree: ObjectId, parent: ObjectId, committer: Signature): Buffer {
  const encoding = headerText(raw, 'encoding');
  const author = raw.headers.find((header) => header.name === 'author')?.value ?? Buffer.alloc(0);
  const committerLine = formatSignature(committer);
  // Bytes are copied unchanged, unless the committer's name may not fit the commit's encoding: then
  // everything is recoded to UTF-8.
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

async function isEmpty(directory: GitDirectory, pick: RebaseStep): Promise<boolean> {
  if (pick.parent === undefined) return false;
  return (await treeOf(directory, pick.parent)) === pick.tree;
}

async function treeOf(directory: GitDirectory, commit: ObjectId): Promise<ObjectId> {
  return (await readLinks(directory, commit)).tree;
}

async function readLinks(
  directory: GitDirectory,
  id: ObjectId,
): Promise<Pick<Commit, 'tree' | 'parents'>> {
  return (await readParents(directory, id)) ?? refuseOther(id);
}

async function readWhole(directory: GitDirectory, id: ObjectId): Promise<RawObject> {
  const object = await readObject(directory, id, recreatedBytesMax);
  if (object?.type !== 'commit') return refuseOther(id);
  if (object.size > recreatedBytesMax) {
    const message = `The commit ${id} is larger than ${recreatedBytesMax} bytes.`;
    throw new GitError('limit', message);
  }
  return parseRawObject(object.content);
}

function refuseOther(id: ObjectId): never {
  throw new GitError('missing-object', `${id} is no commit.`);
}
