/** Why the merge of a pull is refused: what the caller gets and what to do. */
interface MergeRefusal {
  readonly status: 405 | 409;
  /** The message of GitHub where it has one: clients match on it. undefined: the rules of the branch make it. */
  readonly message: string | undefined;
  readonly when: string;
  readonly remedy: string;
}

const notMergeable = 'Pull Request is not mergeable';
const headModified = 'Head branch was modified. Review and try the merge again.';
const enableMethod = 'Enable the method in the settings of the repository, or name another one.';

/**
 * The one table of these reasons, from which docs/errors.md is generated. Several share one message, as on GitHub, so the log
 * has the reason.
 */
export const mergeRefusals = {
  'merge-commits-disabled': {
    status: 405,
    message: 'Merge commits are not allowed on this repository.',
    when: '`merge_method` is `merge`, which the repository does not allow',
    remedy: enableMethod,
  },
  'squash-merges-disabled': {
    status: 405,
    message: 'Squash merges are not allowed on this repository.',
    when: '`merge_method` is `squash`, which the repository does not allow',
    remedy: enableMethod,
  },
  'rebase-merges-disabled': {
    status: 405,
    message: 'Rebase merges are not allowed on this repository.',
    when: '`merge_method` is `rebase`, which the repository does not allow',
    remedy: enableMethod,
  },
  'already-merged': {
    status: 405,
    message: notMergeable,
    when: 'the pull request is merged',
    remedy: 'Nothing: `GET …/merge` confirms it with 204.',
  },
  closed: {
    status: 405,
    message: notMergeable,
    when: 'the pull request is closed',
    remedy:
      'Reopen it. Where its branch is gone or has no new commits, restore the branch, or open another pull request.',
  },
  draft: {
    status: 405,
    message: 'Pull Request is still a draft',
    when: 'the pull request is a draft',
    remedy: 'Mark it as ready for review.',
  },
  conflicts: {
    status: 405,
    message: notMergeable,
    when: 'the branches conflict, or have no common history',
    remedy:
      'Merge the base into the head (`git merge`, without a common history with `--allow-unrelated-histories`), resolve the conflicts and push.',
  },
  'rebase-conflicts': {
    status: 405,
    message: "This branch can't be rebased",
    when: '`merge_method` is `rebase`, and a commit conflicts, no commit is left, or there are more than 250',
    remedy: 'Use another method, or rebase the head and push.',
  },
  'base-branch-missing': {
    status: 405,
    message: notMergeable,
    when: 'the base branch does not exist in git; once Hob has processed its deletion, the pull request is closed, and the reason is `closed`',
    remedy: 'Restore the base branch, or change the base.',
  },
  'head-missing': {
    status: 405,
    message: notMergeable,
    when: 'the head repository was deleted',
    remedy: 'Push `refs/pull/N/head` to a new branch and open a pull request from it.',
  },
  'head-modified': {
    status: 409,
    message: headModified,
    when: '`sha` is not the head, or the head keeps changing',
    remedy: 'Read the pull request again, review the new commits and merge with the new `sha`.',
  },
  'base-modified': {
    status: 405,
    message: 'Base branch was modified. Review and try the merge again.',
    when: 'the pull request got another base meanwhile, or the base branch or its rules keep changing',
    remedy: 'Try again.',
  },
  'head-outdated': {
    status: 405,
    message: 'Head branch is out of date. Review and try the merge again.',
    when: 'the base branch requires branches to be up to date, and the head lacks commits of it',
    remedy: 'Update the branch (`update-branch`), wait for its checks and merge.',
  },
  'branch-protection': {
    status: 405,
    message: undefined,
    when: 'the rules of the base branch forbid it; the message names the first rule that does: who may push, status checks, changes requested, missing approvals',
    remedy: 'Do what the message names, or ask a user who may.',
  },
  'merge-in-progress': {
    status: 405,
    message: 'Merge already in progress',
    when: 'another process is merging the pull request, or an interrupted merge is not completed yet',
    remedy:
      'Read the pull request again. Where this lasts, see “A stuck intent” in [operations.md](operations.md#troubleshooting).',
  },
  'git-limit': {
    status: 405,
    message:
      'The merge exceeded the limits of git on this server. Merge the branches in a clone and push the result.',
    when: 'the merge takes git longer, or needs more memory, than this server allows',
    remedy:
      'Merge the branches in a clone and push the result to the base branch, or ask who may push there.',
  },
} as const satisfies Record<string, MergeRefusal>;

export type MergeRefusalReason = keyof typeof mergeRefusals;
