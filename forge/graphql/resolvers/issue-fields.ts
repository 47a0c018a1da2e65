import { timestamp } from '../../json/json-values.ts';
import { nodeId } from '../../json/node-id.ts';
import type { IssueFilter } from '../../issues/issue-filter.ts';
import { countIssues, findIssue, sliceIssues } from '../../issues/issue-store.ts';
import { findLabel, listLabels } from '../../labels/label-store.ts';
import { findMilestone, listMilestones } from '../../milestones/milestone-store.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import { findPull } from '../../pulls/pull-store.ts';
import {
  type Arguments,
  integerArgument,
  optionalBoolean,
  optionalObject,
  optionalText,
  optionalTexts,
  textArgument,
} from '../engine/arguments.ts';
import { connect, type Connection, connectList, emptyConnection } from '../engine/connection.ts';
import { failField } from '../engine/field-error.ts';
import { always, type Fields, type GraphqlContext, pathOfUrl, type Resolvers } from './context.ts';
import {
  commentRights,
  connectLabels,
  discussionFields,
  editTime,
  labelSource,
  milestoneSource,
  writtenFields,
} from './discussion-fields.ts';
import { reactionFields } from './reaction-fields.ts';
import type {
  CommentSource,
  IssueSource,
  LabelSource,
  MilestoneSource,
  PullSource,
  RepositorySource,
} from './sources.ts';

/** Labels and milestones of a repository are read whole; no repository has more. */
const listed = { offset: 0, size: 10_000 };

const repositoryFields: Fields<RepositorySource> = {
  issue: async (at, values, context) => {
    const found = await issueOrPull(at, integerArgument(values, 'number'), context);
    if (found?.typeName === 'Issue') return found;
    return failField(
      'NOT_FOUND',
      `Could not resolve to an Issue with the number of ${integerArgument(values, 'number')}.`,
    );
  },
  issueOrPullRequest: async (at, values, context) => {
    const number = integerArgument(values, 'number');
    const found = await issueOrPull(at, number, context);
    if (found) return found;
    const message = `Could not resolve to an issue or pull request with the number of ${number}.`;
    return failField('NOT_FOUND', message);
  },
  issues: issuesOf,
  label: async (at, values, { access, ports }) => {
    await access({ id: at.repository.id }, 'issues/get-label');
    const label = await ports.database.readOne((sql) =>
      findLabel(sql, at.repository.id, textArgument(values, 'name')),
    );
    return label ? labelSource(at, label) : null;
  },
  labels: (at, values, { access, ports }) =>
    connectLabels(values, at, async () => {
      await access({ id: at.repository.id }, 'issues/list-labels-for-repo');
      return (await ports.database.read((sql) => listLabels(sql, at.repository.id, listed))).labels;
    }),
  milestone: async (at, values, { access, ports }) => {
    await access({ id: at.repository.id }, 'issues/get-milestone');
    const milestone = await ports.database.readOne((sql) =>
      findMilestone(sql, at.repository.id, integerArgument(values, 'number')),
    );
    return milestone ? milestoneSource(at, milestone) : null;
  },
  milestones: milestonesOf,
};

/** Issues and pulls share their numbers. */
async function issueOrPull(
  at: RepositorySource,
  number: number,
  { access, ports }: GraphqlContext,
): Promise<IssueSource | PullSource | null> {
  await access({ id: at.repository.id }, 'issues/get', { issue_number: String(number) });
  return ports.database.read(async (sql) => {
    const issue = await findIssue(sql, at.repository.id, number);
    if (!issue) return null;
    if (!issue.pull) return { typeName: 'Issue', at, issue };
    const pull = await findPull(sql, at.repository.id, number);
    return pull ? { typeName: 'PullRequest', at, pull } : null;
  });
}

const issueSorts = { CREATED_AT: 'created', UPDATED_AT: 'updated', COMMENTS: 'comments' } as const;

export function sortOf(values: Arguments): {
  sort: 'created' | 'updated' | 'comments';
  direction: 'asc' | 'desc';
} {
  const order = optionalObject(values, 'orderBy') ?? {};
  const field = optionalText(order, 'field');
  const sort = field === 'UPDATED_AT' || field === 'COMMENTS' ? issueSorts[field] : 'created';
  return { sort, direction: optionalText(order, 'direction') === 'DESC' ? 'desc' : 'asc' };
}

function issuesOf(
  at: RepositorySource,
  values: Arguments,
  { access, ports }: GraphqlContext,
): Connection<IssueSource> {
  const filter = issueFilterOf(values);
  const id = at.repository.id;
  return connect('issues', values, {
    keys: 'number',
    total: async () => {
      await access({ id }, 'issues/list-for-repo');
      return ports.database.readOne((sql) => countIssues(sql, id, filter));
    },
    load: async (bounds) => {
      await access({ id }, 'issues/list-for-repo');
      const slice = await ports.database.readOne((sql) => sliceIssues(sql, id, filter, bounds));
      const items = slice.rows.map(({ issue, key }) => ({
        node: { typeName: 'Issue', at, issue } as const,
        key,
      }));
      return { items, more: slice.more };
    },
  });
}

function issueFilterOf(values: Arguments): IssueFilter {
  const by = optionalObject(values, 'filterBy') ?? {};
  const states = optionalTexts(by, 'states') ?? optionalTexts(values, 'states') ?? [];
  const since = optionalText(by, 'since');
  const assignee = optionalText(by, 'assignee');
  const milestone = optionalText(by, 'milestoneNumber') ?? optionalText(by, 'milestone');
  return {
    only: 'issues',
    state: new Set(states).size === 1 ? (states[0] === 'OPEN' ? 'open' : 'closed') : 'all',
    labels: [],
    anyLabel: optionalTexts(by, 'labels') ?? optionalTexts(values, 'labels'),
    assignee: assignee === undefined ? undefined : assigneeOf(assignee),
    creator: optionalText(by, 'createdBy'),
    milestone: milestone === undefined ? undefined : milestoneOf(milestone),
    updatedSince: since === undefined ? undefined : Date.parse(since),
    ...sortOf(values),
  };
}

function assigneeOf(login: string): IssueFilter['assignee'] {
  return login === '*' ? 'any' : { login };
}

function milestoneOf(number: string): IssueFilter['milestone'] {
  if (number === '*') return 'any';
  return /^\d{1,9}$/.test(number) ? { number: Number(number) } : 'none';
}

function milestonesOf(
  at: RepositorySource,
  values: Arguments,
  { access, ports }: GraphqlContext,
): Connection<MilestoneSource> {
  const order = optionalObject(values, 'orderBy') ?? {};
  const field = optionalText(order, 'field') ?? 'NUMBER';
  const states = optionalTexts(values, 'states');
  const wanted = optionalText(values, 'query')?.toLowerCase();
  const all = { state: 'all', sort: 'due_on', direction: 'asc' } as const;
  const list = async (): Promise<MilestoneSource[]> => {
    await access({ id: at.repository.id }, 'issues/list-milestones');
    const { milestones } = await ports.database.read((sql) =>
      listMilestones(sql, at.repository.id, all, listed),
    );
    const found = milestones
      .filter(({ state }) => !states || states.includes(state.toUpperCase()))
      .filter(({ title }) => wanted === undefined || title.toLowerCase().includes(wanted));
    const ordered = found.toSorted(
      (one, other) =>
        milestoneKey(one, field) - milestoneKey(other, field) || one.number - other.number,
    );
    const descending = optionalText(order, 'direction') === 'DESC';
    return (descending ? ordered.toReversed() : ordered).map((each) => milestoneSource(at, each));
  };
  return connectList('milestones', values, list, ({ milestone }) => milestone.number);
}

function milestoneKey(milestone: MilestoneSource['milestone'], field: string): number {
  if (field === 'DUE_DATE') return milestone.dueAt ?? Number.MAX_SAFE_INTEGER;
  return field === 'UPDATED_AT' ? milestone.updatedAt : milestone.number;
}

const issueFields: Fields<IssueSource> = {
  ...discussionFields('Issue', ({ issue }: IssueSource) => issue),
  state: ({ issue }) => issue.state.toUpperCase(),
  stateReason: ({ issue: { stateReason } }, values) => {
    const hidden =
      stateReason === 'duplicate' && optionalBoolean(values, 'enableDuplicate') !== true;
    return hidden ? 'NOT_PLANNED' : (stateReason?.toUpperCase() ?? null);
  },
  isPinned: ({ issue }) => issue.pinned,
  issueType: always(null),
  parent: always(null),
  subIssues: emptyConnection,
  subIssuesSummary: always({}),
  closedByPullRequestsReferences: emptyConnection,
};

const labelFields: Fields<LabelSource> = {
  id: ({ label }) => nodeId('Label', label.id),
  name: ({ label }) => label.name,
  color: ({ label }) => label.color,
  description: ({ label }) => label.description,
  isDefault: always(false),
  repository: ({ at }) => at,
  // Times of labels are not stored.
  createdAt: always(null),
  updatedAt: always(null),
  url: (source, _values, context) => labelUrl(source, context),
  resourcePath: (source, _values, context) => pathOfUrl(labelUrl(source, context)),
};

function labelUrl({ at, label }: LabelSource, { request }: GraphqlContext): string {
  const repository = request.urls.repositoryHtml(fullName(at.repository));
  return `${repository}/labels/${encodeURIComponent(label.name)}`;
}

const milestoneFields: Fields<MilestoneSource> = {
  id: ({ milestone }) => nodeId('Milestone', milestone.id),
  number: ({ milestone }) => milestone.number,
  title: ({ milestone }) => milestone.title,
  description: ({ milestone }) => milestone.description,
  state: ({ milestone }) => milestone.state.toUpperCase(),
  closed: ({ milestone }) => milestone.state === 'closed',
  closedAt: ({ milestone }) => timestamp(milestone.closedAt),
  createdAt: ({ milestone }) => timestamp(milestone.createdAt),
  updatedAt: ({ milestone }) => timestamp(milestone.updatedAt),
  dueOn: ({ milestone }) => timestamp(milestone.dueAt),
  creator: ({ milestone }, _values, { loaders }) => loaders.account(milestone.creatorId),
  progressPercentage: ({ milestone: { openIssues, closedIssues } }) =>
    closedIssues === 0 ? 0 : (100 * closedIssues) / (openIssues + closedIssues),
  repository: ({ at }) => at,
  url: ({ at, milestone }, _values, { request }) =>
    request.urls.milestoneHtml(fullName(at.repository), milestone.number),
  resourcePath: ({ at, milestone }, _values, { request }) =>
    pathOfUrl(request.urls.milestoneHtml(fullName(at.repository), milestone.number)),
  viewerCanClose: ({ at }) => atLeast(at.permission, 'write'),
  viewerCanReopen: ({ at }) => atLeast(at.permission, 'write'),
};

const commentFields: Fields<CommentSource> = {
  ...writtenFields(
    ({ comment }: CommentSource) => comment,
    ({ comment }) => editTime(comment),
  ),
  ...reactionFields(({ comment }: CommentSource) => ({ kind: 'issue_comment', id: comment.id })),
  ...commentRights(({ comment }: CommentSource) => comment),
  id: ({ comment }) => nodeId('IssueComment', comment.id),
  databaseId: ({ comment }) => comment.id,
  fullDatabaseId: ({ comment }) => String(comment.id),
  url: (source, _values, context) => commentUrl(source, context),
  resourcePath: (source, _values, context) => pathOfUrl(commentUrl(source, context)),
  issue: async ({ at, comment }, _values, { ports }) => {
    const issue = await ports.database.readOne((sql) =>
      findIssue(sql, at.repository.id, comment.issue.number),
    );
    return issue ? { typeName: 'Issue', at, issue } : null;
  },
  pullRequest: async ({ at, comment }, _values, { loaders }) => {
    const pull = comment.issue.pull ? await loaders.pull(comment.issue.id) : undefined;
    return pull ? { typeName: 'PullRequest', at, pull } : null;
  },
};

function commentUrl({ at, comment }: CommentSource, { request }: GraphqlContext): string {
  const name = fullName(at.repository);
  const { number, pull } = comment.issue;
  const url = pull ? request.urls.pullHtml(name, number) : request.urls.issueHtml(name, number);
  return `${url}#issuecomment-${comment.id}`;
}

export const issueResolvers: Resolvers = {
  Repository: repositoryFields,
  Issue: issueFields,
  Label: labelFields,
  Milestone: milestoneFields,
  IssueComment: commentFields,
  SubIssuesSummary: { completed: always(0), percentCompleted: always(0), total: always(0) },
};
