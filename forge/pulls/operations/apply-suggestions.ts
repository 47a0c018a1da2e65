import { accountsById } from '../../accounts/account-store.ts';
import { signatureOf } from '../../accounts/signature.ts';
import { refuse } from '../../errors/api-error.ts';
import type { TreeChange } from '../../git/git.ts';
import { branchRef, parseTreePath } from '../../git/names.ts';
import type { Account } from '../../model/account.ts';
import type { UserCaller } from '../../model/caller.ts';
import type { Pull } from '../../model/pull.ts';
import type { ReviewComment } from '../../model/review-comment.ts';
import type { Ports } from '../../ports/ports.ts';
import { changeRefs } from '../../ref-updates/change-refs.ts';
import { signAs, signAsServer, type SigningTime } from '../../repositories/commit-people.ts';
import { unlessDeleted } from '../../repositories/get-repository.ts';
import { type CurrentPosition, currentPositions } from '../../review-comments/current-positions.ts';
import { reviewCommentsById } from '../../review-comments/review-comment-store.ts';
import {
  commentedLines,
  commentParts,
  suggestionDigest,
} from '../../review-comments/suggestion.ts';
import { reviewsOfPulls } from '../../reviews/review-store.ts';
import { replaceLines, type Replacement } from './replace-lines.ts';
import {
  type Branch,
  headBranchOf,
  type PullWithHead,
  refuseMissingHead,
  requireUpdatable,
} from './update-pull-branch.ts';

/** A suggestion of a comment, numbered from 0. */
export interface ChosenSuggestion {
  readonly commentId: number;
  readonly index: number;
  /** Of the lines that the caller has seen. */
  readonly digest: string;
}

export interface SuggestionBatch {
  readonly pull: Pull;
  readonly caller: UserCaller;
  readonly chosen: readonly ChosenSuggestion[];
  /** Undefined: one that says what is applied. */
  readonly message: string | undefined;
  readonly signingTime: SigningTime;
}

/** Suggestions of review comments in one commit. */
const suggestionsMax = 100;
/** File that suggestions change: it is held in memory. */
const fileBytesMax = 10 * 1024 * 1024;

/**
 * Commits suggestions of review comments to the head branch, all or none, with the rights of a push to it. Those whose lines are not
 * what they were when they were commented on are refused. Returns the ids of the comments that began their threads.
 */
export async function applySuggestions(ports: Ports, batch: SuggestionBatch): Promise<number[]> {
  if (batch.chosen.length === 0) unprocessable('Choose a suggestion.');
  if (batch.chosen.length > suggestionsMax) {
    unprocessable(`One commit applies up to ${suggestionsMax} suggestions.`);
  }
  const pull = await ports.database.read((sql) => requireUpdatable(sql, batch));
  const { comments, authors } = await commentsOf(ports, batch);
  await unlessDeleted(
    ports.database,
    pull.head.repositoryId,
    () => commitToHead(ports, batch, { pull, comments, authors }),
    refuseMissingHead,
  );
  return [...new Set(comments.map(({ id, replyToId }) => replyToId ?? id))];
}

interface Commented {
  readonly comments: readonly ReviewComment[];
  readonly authors: ReadonlyMap<number, Account>;
}

/** Comments of others' pending reviews are as if they were not there. */
async function commentsOf(
  { database }: Ports,
  { pull, caller, chosen }: SuggestionBatch,
): Promise<Commented> {
  const ids = [...new Set(chosen.map(({ commentId }) => commentId))];
  return database.read(async (sql) => {
    const comments = await reviewCommentsById(sql, ids);
    const reviews = await reviewsOfPulls(sql, [pull.id], caller.account.id);
    const pending = (reviews.get(pull.id) ?? []).filter(({ state }) => state === 'PENDING');
    const visible = new Set((reviews.get(pull.id) ?? []).map(({ id }) => id));
    for (const { reviewId } of comments) {
      if (pending.some(({ id }) => id === reviewId)) {
        unprocessable('A suggestion of a pending review cannot be applied: submit the review.');
      }
    }
    const own = comments.filter(
      ({ pullId, reviewId }) => pullId === pull.id && visible.has(reviewId),
    );
    if (own.length < ids.length) unprocessable('The suggestion is not there any more.');
    const authors = await accountsById(
      sql,
      own.map(({ authorId }) => authorId),
    );
    return { comments: own, authors };
  });
}

async function commitToHead(
  ports: Ports,
  batch: SuggestionBatch,
  { pull, comments, authors }: Commented & { readonly pull: PullWithHead },
): Promise<void> {
  const { caller, signingTime } = batch;
  const head = await headBranchOf(ports, pull);
  if (head.sha !== pull.head.sha) refuseMoved();
  const git = ports.git.repository(pull.repositoryId);
  const positions = await currentPositions(git, comments, new Map([[pull.id, pull]]));
  const changes = await changedFiles(head, replacements(batch.chosen, comments, positions));
  const written = await head.git.writeTree(head.sha, changes);
  if (written.kind !== 'written') return refuseMoved();
  const people = comments.map(({ authorId }) => authors.get(authorId));
  const commit = await head.git.writeCommit({
    tree: written.id,
    parents: [head.sha],
    author: signAs(caller.account, signingTime),
    committer: signAsServer(signingTime),
    message: messageOf(batch, comments, people),
  });
  const result = await changeRefs(ports, {
    repositoryId: head.git.id,
    refs: [{ ref: branchRef(head.branch), old: head.sha, new: commit }],
    now: signingTime.now,
    actorId: caller.account.id,
    check: async (sql) => {
      await requireUpdatable(sql, batch);
    },
  });
  if (result.kind !== 'updated') refuseMoved();
}

/** What the suggestions replace, by path. */
function replacements(
  chosen: readonly ChosenSuggestion[],
  comments: readonly ReviewComment[],
  positions: ReadonlyMap<number, CurrentPosition>,
): Map<string, Replacement[]> {
  const byPath = new Map<string, Replacement[]>();
  for (const { commentId, index, digest } of chosen) {
    const comment = comments.find(({ id }) => id === commentId);
    const part =
      comment &&
      commentParts(comment.body).find((each) => each.kind === 'suggestion' && each.index === index);
    if (!comment || part?.kind !== 'suggestion') {
      return unprocessable('The suggestion is not there any more.');
    }
    const before = commentedLines(comment);
    if (!before) return unprocessable('Suggestions can only replace lines of the new version.');
    const at = positions.get(commentId);
    // The path of a file that was renamed since is no longer the one of the comment.
    const { path } = comment.position;
    if (!at) return refuseOutdated(path);
    const first = at.startLine ?? at.line;
    if (at.line - first + 1 !== before.length) return refuseOutdated(path);
    if (suggestionDigest(part.lines) !== digest) {
      return unprocessable(
        'The suggestion was edited meanwhile. Look at it again; nothing was committed.',
      );
    }
    const own = byPath.get(path) ?? [];
    byPath.set(path, [...own, { first, before, after: part.lines }]);
  }
  return byPath;
}

async function changedFiles(
  { git, sha }: Branch,
  byPath: ReadonlyMap<string, readonly Replacement[]>,
): Promise<TreeChange[]> {
  const changes: TreeChange[] = [];
  for (const [text, lines] of byPath) {
    const path = parseTreePath(text);
    const entry = path && (await git.findPath(sha, path));
    const mode = entry?.mode === '100755' ? '100755' : '100644';
    if (!path || entry?.mode !== mode) return refuseOutdated(text);
    if ((entry.size ?? 0) > fileBytesMax) {
      return unprocessable(`${text} is too large for a suggestion: change it with git.`);
    }
    const content = await git.readBlob(entry.id);
    const replaced = content && replaceLines(content, lines);
    if (replaced === 'overlapping') {
      return unprocessable(`Two of the suggestions change the same lines of ${text}.`);
    }
    if (replaced === undefined || replaced === 'different') return refuseOutdated(text);
    if (replaced.equals(content ?? replaced)) {
      return unprocessable(`The suggestion changes nothing in ${text}.`);
    }
    changes.push({ path, mode, id: await git.writeBlob(replaced) });
  }
  return changes;
}

/** The authors of suggestions are named as co-authors. */
function messageOf(
  { caller, message, chosen, signingTime }: SuggestionBatch,
  comments: readonly ReviewComment[],
  authors: readonly (Account | undefined)[],
): string {
  const [comment] = comments;
  const title =
    chosen.length === 1 && comment
      ? `Update ${comment.position.path}`
      : 'Apply suggestions from code review';
  const others = new Map<number, Account>();
  for (const author of authors) {
    if (author && author.id !== caller.account.id) others.set(author.id, author);
  }
  const trailers = [...others.values()].map((account) => {
    const { name, email } = signatureOf(account, signingTime.now, 0);
    return `Co-authored-by: ${name.replaceAll(/[\r\n<>]/g, ' ')} <${email.replaceAll(/[\s<>]/g, '')}>`;
  });
  const text = (message ?? title).trim();
  return trailers.length === 0 ? `${text}\n` : `${text}\n\n${trailers.join('\n')}\n`;
}

function refuseOutdated(path: string): never {
  return unprocessable(
    `The suggestion is outdated: its lines of ${path} were changed. Nothing was committed.`,
  );
}

function refuseMoved(): never {
  return unprocessable('The head branch was changed meanwhile. Nothing was committed; try again.');
}

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}
