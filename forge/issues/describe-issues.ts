import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import type { Json } from '../json/json-values.ts';
import type { Format } from '../http/media-types.ts';
import { countReactions } from '../reactions/reaction-store.ts';
import { associationsIn } from '../repositories/association-store.ts';
import type { Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { wasDeleted } from './delete-issue-store.ts';
import { accountsIn, attributesOf, type IssueAttributes } from './issue-attributes.ts';
import { type IssueRelations, representIssue } from './issue-json.ts';
import { findIssue } from './issue-store.ts';
import { redirectTransferred } from './redirect-transferred.ts';
import type { Caller } from '../model/caller.ts';
import type { Issue } from '../model/issue.ts';

/** Everything that representations of these issues embed, in a fixed number of statements. */
export async function loadIssueRelations(
  sql: Sql,
  repository: Repository,
  issues: readonly Issue[],
  attributes?: IssueAttributes,
): Promise<IssueRelations> {
  return (await loadIssueRelationsIn(sql, issues, attributes))(repository);
}

/** Like `loadIssueRelations`, for issues of several repositories in as many statements. */
export async function loadIssueRelationsIn(
  sql: Sql,
  issues: readonly Issue[],
  known?: IssueAttributes,
): Promise<(repository: Repository) => IssueRelations> {
  const ids = issues.map((issue) => issue.id);
  const attributes = known ?? (await attributesOf(sql, ids));
  const authorIds = issues.map((issue) => issue.authorId);
  const closers = issues.flatMap((issue) => (issue.closedById === null ? [] : [issue.closedById]));
  const associations = await associationsIn(sql, issues);
  const shared = {
    attributes,
    accounts: await accountsById(sql, [...authorIds, ...closers, ...accountsIn(attributes)]),
    reactions: await countReactions(sql, 'issue', ids),
  };
  return (repository) => ({
    ...shared,
    repository,
    associations: associations.get(repository.id) ?? new Map(),
  });
}

/** The detailed representation of the issue with this number, or a refusal. */
export async function describeIssue(
  sql: Sql,
  repository: Repository,
  number: number,
  format: Format,
  { urls, caller }: { readonly urls: Urls; readonly caller: Caller },
): Promise<{ body: Json; updatedAt: number }> {
  const issue = await findIssue(sql, repository.id, number);
  if (!issue) {
    if (await wasDeleted(sql, repository.id, number)) refuse({ kind: 'gone' });
    await redirectTransferred(sql, caller, repository.id, number);
    return notFound();
  }
  const relations = await loadIssueRelations(sql, repository, [issue]);
  return {
    body: representIssue(issue, relations, format, urls),
    updatedAt: issue.updatedAt,
  };
}
