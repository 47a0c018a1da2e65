import { issuesById } from '../../issues/issue-store.ts';
import { listPinned } from '../../issues/pin-store.ts';
import { nodeId } from '../../json/node-id.ts';
import { connectList } from '../engine/connection.ts';
import type { Fields, Resolvers } from './context.ts';
import type { IssueSource, RepositorySource } from './sources.ts';

interface PinnedSource {
  readonly at: RepositorySource;
  readonly issue: IssueSource;
  readonly pinnedById: number | null;
}

const repositoryFields: Fields<RepositorySource> = {
  pinnedIssues: (at, values, { access, ports }) =>
    connectList(
      'pinnedIssues',
      values,
      async () => {
        const { id } = at.repository;
        await access({ id }, 'issues/list-for-repo');
        return ports.database.read(async (sql): Promise<PinnedSource[]> => {
          const pinned = await listPinned(sql, id);
          const issues = await issuesById(
            sql,
            pinned.map(({ issueId }) => issueId),
          );
          return pinned.flatMap(({ issueId, pinnedById }) => {
            const issue = issues.get(issueId);
            return issue ? [{ at, issue: { typeName: 'Issue', at, issue }, pinnedById }] : [];
          });
        });
      },
      ({ issue }) => issue.issue.id,
    ),
};

const pinnedFields: Fields<PinnedSource> = {
  // An issue is pinned once.
  id: ({ issue }) => nodeId('PinnedIssue', issue.issue.id),
  databaseId: ({ issue }) => issue.issue.id,
  fullDatabaseId: ({ issue }) => String(issue.issue.id),
  issue: ({ issue }) => issue,
  pinnedBy: ({ pinnedById }, _values, { loaders }) => loaders.account(pinnedById ?? 0),
  repository: ({ at }) => at,
};

export const pinnedResolvers: Resolvers = {
  Repository: repositoryFields,
  PinnedIssue: pinnedFields,
};
