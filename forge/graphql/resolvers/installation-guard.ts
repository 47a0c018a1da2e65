import { authorizeRepository, mayRead } from '../../repositories/repository-access.ts';
import type { AppPermissionName } from '../../model/app.ts';
import { isInstallation } from '../../model/caller.ts';
import type { FieldGuard } from '../engine/executable-schema.ts';
import type { GraphqlContext } from './context.ts';
import type { CommentSource, RepositorySource } from './sources.ts';

/** Any permission of each list. */
type Needed = readonly (readonly AppPermissionName[])[];

const pulls: Needed = [['pull_requests']];
const issues: Needed = [['issues']];
const code: Needed = [['contents']];
const attributes: Needed = [['issues', 'pull_requests']];

/**
 * What an installation needs in a private repository to read the fields of a type: the permissions that the operations of the REST API
 * need which show the same (auth/apps/required-permissions.ts). Types that are only reached through fields of these are not listed.
 */
const neededOf: Readonly<Record<string, Needed>> = {
  Issue: issues,
  PinnedIssue: issues,
  LinkedBranch: issues,
  Label: attributes,
  Milestone: attributes,
  PullRequest: pulls,
  PullRequestReview: pulls,
  PullRequestReviewComment: pulls,
  PullRequestReviewThread: pulls,
  AutoMergeRequest: pulls,
  Ref: code,
  Commit: code,
  Tree: code,
  TreeEntry: code,
  Blob: code,
  Tag: code,
  Release: code,
  Status: [['statuses']],
  StatusContext: [['statuses']],
  CheckRun: [['checks']],
  CheckSuite: [['checks']],
  StatusCheckRollup: [['checks'], ['statuses']],
};

/** Whether an installation may read the fields of this type, and fields with values of that type, also their number. */
export const installationGuard: FieldGuard<GraphqlContext> = (typeName, valueTypeName) => {
  const ofSource = typeName === 'IssueComment' ? commentNeeds : () => neededOf[typeName];
  const ofValue = neededOf[valueTypeName.replace(/(?:Connection|Edge)$/, '')];
  const guarded = typeName === 'IssueComment' || neededOf[typeName] !== undefined;
  if (!guarded && !ofValue) return undefined;
  return (source, context) => {
    if (!isInstallation(context.request.caller)) return undefined;
    const repositoryId = repositoryIdOf(source);
    if (repositoryId === undefined) {
      // The value of a payload has a type that is checked itself.
      if (!guarded) return undefined;
      throw new Error(`${typeName} does not name its repository`);
    }
    return requireEach(repositoryId, [...(ofSource(source) ?? []), ...(ofValue ?? [])], context);
  };
};

async function requireEach(
  repositoryId: number,
  needed: Needed,
  { reads }: GraphqlContext,
): Promise<void> {
  for (const names of needed) await reads(repositoryId, names);
}

/** Decides once for all fields of a request. */
export function createReads({
  ports,
  request,
}: Pick<GraphqlContext, 'ports' | 'request'>): GraphqlContext['reads'] {
  const decided = new Map<string, Promise<unknown>>();
  return async (repositoryId, names) => {
    const key = `${repositoryId} ${names.join(' ')}`;
    const required = names.map((name) => [name, 'read'] as const);
    const decision =
      decided.get(key) ??
      ports.database.read((sql) =>
        authorizeRepository(sql, request.caller, { id: repositoryId }, mayRead, required),
      );
    decided.set(key, decision);
    await decision;
  };
}

function commentNeeds(source: unknown): Needed {
  if (!isComment(source)) throw new Error('not a comment');
  return source.comment.issue.pull ? pulls : issues;
}

function isComment(source: unknown): source is CommentSource {
  return hasType(source, 'IssueComment');
}

function isRepository(source: unknown): source is RepositorySource {
  return hasType(source, 'Repository');
}

function repositoryIdOf(source: unknown): number | undefined {
  if (typeof source !== 'object' || source === null) return undefined;
  const at = 'at' in source ? source.at : source;
  return isRepository(at) ? at.repository.id : undefined;
}

function hasType(source: unknown, typeName: string): boolean {
  return (
    typeof source === 'object' &&
    source !== null &&
    'typeName' in source &&
    source.typeName === typeName
  );
}
