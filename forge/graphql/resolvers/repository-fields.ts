import { listAssignable } from '../../issues/assignee-store.ts';
import { timestamp } from '../../json/json-values.ts';
import { nodeId } from '../../json/node-id.ts';
import { branchRef, parseBranchName } from '../../git/names.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import { optionalText } from '../engine/arguments.ts';
import { connectList, emptyConnection } from '../engine/connection.ts';
import { codeFields, codeResolvers } from './code-fields.ts';
import { always, type Fields, pathOfUrl, type Resolvers } from './context.ts';
import { findRefSource } from './git-objects.ts';
import { forksOf } from './repository-connections.ts';
import { accountSource, type RepositorySource } from './sources.ts';
import { starFields } from './star-fields.ts';

/** A list of the users who may push; none is longer. */
const listed = { offset: 0, size: 10_000 };

/** Fields whose values are the rows' own. */
const ownFields: Fields<RepositorySource> = {
  id: ({ repository }) => nodeId('Repository', repository.id),
  databaseId: ({ repository }) => repository.id,
  name: ({ repository }) => repository.name,
  nameWithOwner: ({ repository }) => fullName(repository),
  owner: ({ repository }) => accountSource(repository.owner),
  description: ({ repository }) => repository.description,
  homepageUrl: ({ repository }) => repository.homepage,
  url: ({ repository }, _values, { request }) => request.urls.repositoryHtml(fullName(repository)),
  resourcePath: ({ repository }, _values, { request }) =>
    pathOfUrl(request.urls.repositoryHtml(fullName(repository))),
  sshUrl: ({ repository }, _values, { request }) => request.urls.ssh(fullName(repository)),
  createdAt: ({ repository }) => timestamp(repository.createdAt),
  updatedAt: ({ repository }) => timestamp(repository.updatedAt),
  pushedAt: ({ repository }) => timestamp(repository.pushedAt),
  diskUsage: ({ repository }) => repository.sizeKibibytes,
  forkCount: ({ repository }) => repository.forks,
  forkingAllowed: always(true),
  visibility: ({ repository }) => (repository.private ? 'PRIVATE' : 'PUBLIC'),
  isPrivate: ({ repository }) => repository.private,
  isArchived: ({ repository }) => repository.archived,
  isFork: ({ repository }) => repository.parentId !== null,
  isInOrganization: ({ repository }) => repository.owner.kind === 'organization',
  isTemplate: ({ repository }) => repository.isTemplate,
  isEmpty: ({ repository }) => repository.pushedAt === null,
  hasIssuesEnabled: ({ repository }) => repository.hasIssues,
  mergeCommitAllowed: ({ repository }) => repository.allowMergeCommit,
  squashMergeAllowed: ({ repository }) => repository.allowSquashMerge,
  rebaseMergeAllowed: ({ repository }) => repository.allowRebaseMerge,
  deleteBranchOnMerge: ({ repository }) => repository.deleteBranchOnMerge,
  autoMergeAllowed: ({ repository }) => repository.allowAutoMerge,
  repositoryTopics: ({ repository }, values) =>
    connectList(
      'repositoryTopics',
      values,
      async () => repository.topics.map((name) => ({ name })),
      ({ name }) => name,
    ),
};

/** What this server does not have: a null, a zero and an empty list are the truth (docs/unspecified.md). */
const absentFields: Fields<RepositorySource> = {
  // The time of archiving is not stored.
  archivedAt: always(null),
  codeOfConduct: always(null),
  contactLinks: always([]),
  fundingLinks: always([]),
  hasDiscussionsEnabled: always(false),
  hasProjectsEnabled: always(false),
  hasWikiEnabled: always(false),
  hasVulnerabilityAlertsEnabled: always(false),
  isBlankIssuesEnabled: always(true),
  isDisabled: always(false),
  isLocked: always(false),
  isMirror: always(false),
  isSecurityPolicyEnabled: always(false),
  isUserConfigurationRepository: always(false),
  issueTemplates: always([]),
  pullRequestTemplates: always([]),
  mergeQueue: always(null),
  mirrorUrl: always(null),
  openGraphImageUrl: ({ repository }, _values, { request }) =>
    request.urls.avatar(repository.owner.id),
  rulesets: emptyConnection,
  securityPolicyUrl: always(null),
  usesCustomOpenGraphImage: always(false),
};

const viewerFields: Fields<RepositorySource> = {
  viewerCanAdminister: ({ permission }) => permission === 'admin',
  viewerCanSubscribe: always(true),
  viewerPermission: ({ permission }) => (permission === 'none' ? null : permission.toUpperCase()),
  viewerDefaultCommitEmail: (_source, _values, { request }) => request.caller.account.email,
  viewerPossibleCommitEmails: ({ permission }, _values, { request }) => {
    const { email } = request.caller.account;
    return atLeast(permission, 'write') && email !== null ? [email] : null;
  },
  viewerDefaultMergeMethod: ({ repository }) => {
    if (repository.allowMergeCommit) return 'MERGE';
    return repository.allowSquashMerge ? 'SQUASH' : 'REBASE';
  },
};

const relatedFields: Fields<RepositorySource> = {
  parent: ({ repository }, _values, { loaders }) =>
    repository.parentId === null ? null : loaders.repository(repository.parentId),
  templateRepository: ({ repository }, _values, { loaders }) =>
    repository.templateId === null ? null : loaders.repository(repository.templateId),
  forks: forksOf,
  assignableUsers: pushers('assignableUsers'),
  mentionableUsers: pushers('mentionableUsers'),
  defaultBranchRef: async (source, _values, context) => {
    const branch = parseBranchName(source.repository.defaultBranch);
    return branch ? findRefSource(source, branchRef(branch), context) : null;
  },
};

/** Those who may push, whom issues can be assigned to and comments can mention. */
function pushers(name: string): Fields<RepositorySource>[string] {
  return ({ repository }, values, { ports, access }) => {
    const wanted = optionalText(values, 'query')?.toLowerCase();
    return connectList(
      name,
      values,
      async () => {
        await access({ id: repository.id }, 'issues/list-assignees');
        const { accounts } = await ports.database.read((sql) =>
          listAssignable(sql, repository, listed),
        );
        const found = accounts.filter(
          (account) =>
            wanted === undefined ||
            `${account.login} ${account.name ?? ''}`.toLowerCase().includes(wanted),
        );
        return found.map(accountSource);
      },
      ({ account }) => account.id,
    );
  };
}

interface TopicSource {
  readonly name: string;
}

const repositoryTopicFields: Fields<TopicSource> = {
  id: ({ name }) => nodeId('RepositoryTopic', name),
  topic: (source) => source,
};

const topicFields: Fields<TopicSource> = {
  id: ({ name }) => nodeId('Topic', name),
  name: ({ name }) => name,
};

export const repositoryResolvers: Resolvers = {
  Repository: {
    ...ownFields,
    ...absentFields,
    ...codeFields,
    ...starFields,
    ...viewerFields,
    ...relatedFields,
  },
  ...codeResolvers,
  RepositoryTopic: repositoryTopicFields,
  Topic: topicFields,
};
