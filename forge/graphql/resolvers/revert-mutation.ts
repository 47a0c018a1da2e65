import { refuse } from '../../errors/api-error.ts';
import { branchRef, parseBranchName } from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import { revertMerge } from '../../pulls/operations/revert-merge.ts';
import {
  type Arguments,
  optionalBoolean,
  optionalText,
  textArgument,
} from '../engine/arguments.ts';
import type { GraphqlContext, Mutations } from './context.ts';
import { inGit } from './git-objects.ts';
import { idOfCreated, nodeOf } from './node-fields.ts';
import type { PullSource } from './sources.ts';

export const revertMutations: Mutations = { revertPullRequest };

/** A new branch with the commit, and a pull of it: by the operations of REST, so that their rules apply. */
async function revertPullRequest(
  input: Arguments,
  context: GraphqlContext,
): Promise<{ pullRequest: PullSource; revertPullRequest: PullSource }> {
  const id = textArgument(input, 'pullRequestId');
  const { at, pull } = await nodeOf(id, ['PullRequest'], context);
  const repositoryId = at.repository.id;
  await context.access({ id: repositoryId }, 'git/create-ref');
  const { account } = context.request.caller;
  const reference = `${fullName(at.repository)}#${pull.number}`;
  const title = optionalText(input, 'title') ?? `Revert "${pull.title}"`;
  const sha = await inGit(at, context, (git) =>
    revertMerge(git, pull, {
      account,
      message: `${title}\n\nReverts ${reference}.\n`,
      signingTime: context.request,
    }),
  );
  const name = await freeBranch(at, pull, context);
  const ref = { repositoryId, body: { ref: `refs/heads/${name}`, sha } };
  await context.perform('git/create-ref', ref);
  try {
    const created = await context.perform('pulls/create', {
      repositoryId,
      body: {
        title,
        body: optionalText(input, 'body') ?? `Reverts ${reference}`,
        head: name,
        base: pull.base.ref,
        draft: optionalBoolean(input, 'draft') ?? false,
      },
    });
    return {
      pullRequest: await nodeOf(id, ['PullRequest'], context),
      revertPullRequest: await nodeOf(idOfCreated(created), ['PullRequest'], context),
    };
  } catch (error) {
    await context.perform('git/delete-ref', { repositoryId, path: { '*': `heads/${name}` } });
    throw error;
  }
}

/** `revert-7-topic`, or the same with a number where that is taken, as after an earlier revert. */
async function freeBranch(
  at: PullSource['at'],
  { number, head }: PullSource['pull'],
  context: GraphqlContext,
): Promise<string> {
  const names = ['', '-2', '-3', '-4', '-5'].map((end) => `revert-${number}-${head.ref}${end}`);
  for (const name of names) {
    const branch = parseBranchName(name);
    if (!branch) break;
    if (!(await inGit(at, context, (git) => git.readRef(branchRef(branch))))) return name;
  }
  return refuse({ kind: 'unprocessable', message: `The branch ${names[0]} exists already.` });
}
