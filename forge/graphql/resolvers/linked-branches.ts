import { branchRef, parseBranchName } from '../../git/names.ts';
import { branchNameFor, linkBranch, removeLink, requireMayLink } from '../../issues/link-branch.ts';
import { findLinkedBranch, type LinkedBranch } from '../../issues/linked-branch-store.ts';
import { idOfNode, nodeId } from '../../json/node-id.ts';
import { optionalText, textArgument } from '../engine/arguments.ts';
import { connectList } from '../engine/connection.ts';
import { failField } from '../engine/field-error.ts';
import { unlessRefused } from './account-fields.ts';
import type { Fields, GraphqlContext, Mutations, Resolvers } from './context.ts';
import { findRefSource } from './git-objects.ts';
import { nodeOf } from './node-fields.ts';
import type { IssueSource, RefSource, RepositorySource } from './sources.ts';

interface LinkedSource {
  readonly at: RepositorySource;
  readonly link: LinkedBranch;
  readonly ref: RefSource | null;
}

/** null where the viewer may not read the repository of the branch. */
async function sourceOf(
  link: LinkedBranch,
  at: RepositorySource,
  context: GraphqlContext,
): Promise<LinkedSource | null> {
  const branch = parseBranchName(link.branch);
  if (!branch) return null;
  return unlessRefused(async () => {
    const home = await context.access({ id: link.repositoryId }, 'git/get-ref');
    return { at, link, ref: await findRefSource(home, branchRef(branch), context) };
  });
}

const issueFields: Fields<IssueSource> = {
  linkedBranches: ({ at, issue }, values, context) =>
    connectList(
      'linkedBranches',
      values,
      async () => {
        const links = await context.loaders.linkedBranches(issue.id);
        const found = await Promise.all(links.map((link) => sourceOf(link, at, context)));
        // A branch may be gone from git a moment before its link is.
        return found.flatMap((source) => (source?.ref ? [source] : []));
      },
      ({ link }) => link.id,
    ),
};

export const linkedBranchResolvers: Resolvers = {
  Issue: issueFields,
  LinkedBranch: {
    id: ({ link }) => nodeId('LinkedBranch', link.id),
    ref: ({ ref }) => ref,
  } satisfies Fields<LinkedSource>,
};

export const linkedBranchMutations: Mutations = {
  async createLinkedBranch(input, context) {
    const id = textArgument(input, 'issueId');
    const { at, issue } = await nodeOf(id, ['Issue'], context);
    const home = optionalText(input, 'repositoryId');
    const target = home === undefined ? at : await nodeOf(home, ['Repository'], context);
    const on = await enter({ at, issue }, context);
    await requireMayLink(context.ports, on);
    const given = optionalText(input, 'name') ?? '';
    const name = given === '' ? branchNameFor(issue) : given;
    const branch = parseBranchName(name);
    if (!branch)
      return failField('UNPROCESSABLE', `${name.slice(0, 255)} is not a valid ref name.`);
    const { id: branchOf } = target.repository;
    const body = { ref: branchRef(branch), sha: textArgument(input, 'oid') };
    await context.perform('git/create-ref', { repositoryId: branchOf, body });
    const { now } = context.request;
    const linkId = await linkBranch(context.ports, { ...on, branchOf, branch, now });
    const link = { id: linkId, issueId: issue.id, repositoryId: branchOf, branch };
    return {
      issue: await nodeOf(id, ['Issue'], context),
      linkedBranch: await sourceOf(link, at, context),
    };
  },
  async deleteLinkedBranch(input, context) {
    const id = textArgument(input, 'linkedBranchId');
    const unknown = `Could not resolve to a node with the global id of '${id.slice(0, 600)}'`;
    const linkId = idOfNode('LinkedBranch', id) ?? failField('NOT_FOUND', unknown);
    const link =
      (await context.ports.database.readOne((sql) => findLinkedBranch(sql, linkId))) ??
      failField('NOT_FOUND', unknown);
    const issueId = nodeId('Issue', link.issueId);
    const on = await enter(await nodeOf(issueId, ['Issue'], context), context);
    await removeLink(context.ports, { ...on, linkId });
    context.forget();
    return { issue: await nodeOf(issueId, ['Issue'], context) };
  },
};

/** What tokens and installations need to change the issue. */
async function enter(
  { at, issue }: Pick<IssueSource, 'at' | 'issue'>,
  context: GraphqlContext,
): Promise<Parameters<typeof requireMayLink>[1]> {
  const { id: repositoryId } = at.repository;
  await context.access({ id: repositoryId }, 'issues/update', {
    issue_number: String(issue.number),
  });
  return { issueId: issue.id, repositoryId, caller: context.request.caller };
}
