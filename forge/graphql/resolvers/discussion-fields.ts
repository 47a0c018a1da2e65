import { timestamp } from '../../json/json-values.ts';
import type { Label } from '../../model/label.ts';
import type { Milestone } from '../../model/milestone.ts';
import { nodeId } from '../../json/node-id.ts';
import type { Account } from '../../model/account.ts';
import type { Comment } from '../../model/comment.ts';
import type { Minimizable } from '../../model/minimized.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import { mayMinimize } from '../../review-comments/minimize-comment.ts';
import { participantsOf } from '../../issues/issue-store.ts';
import { type Arguments, optionalObject, optionalText } from '../engine/arguments.ts';
import { connect, type Connection, connectList, emptyConnection } from '../engine/connection.ts';
import { always, type Fields, type GraphqlContext, pathOfUrl, type Resolver } from './context.ts';
import { reactionFields } from './reaction-fields.ts';
import type { AccountSource, CommentSource, LabelSource, RepositorySource } from './sources.ts';

/** Something that an account has written. */
export interface AuthoredText {
  readonly authorId: number;
  readonly body: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Fields of issues, pulls, comments and reviews; `editedAt` where the times show whether it was edited. */
export function writtenFields<Source extends { readonly at: RepositorySource }>(
  writtenOf: (source: Source) => AuthoredText,
  editedAt: (source: Source) => number | null,
): Fields<Source> {
  return {
    repository: ({ at }) => at,
    author: (source, _values, { loaders }) => loaders.account(writtenOf(source).authorId),
    authorAssociation: (source, _values, { loaders }) =>
      loaders.association({
        repository: source.at.repository,
        authorId: writtenOf(source).authorId,
      }),
    body: (source) => writtenOf(source).body ?? '',
    bodyHTML: async (source, _values, { loaders }) =>
      (await loaders.markup(writtenOf(source).body ?? '')).html,
    bodyText: async (source, _values, { loaders }) =>
      (await loaders.markup(writtenOf(source).body ?? '')).text,
    createdAt: (source) => timestamp(writtenOf(source).createdAt),
    updatedAt: (source) => timestamp(writtenOf(source).updatedAt),
    publishedAt: (source) => timestamp(writtenOf(source).createdAt),
    createdViaEmail: always(false),
    // Who edited a text, and the texts before, are not stored.
    editor: always(null),
    includesCreatedEdit: (source) => editedAt(source) !== null,
    lastEditedAt: (source) => timestamp(editedAt(source)),
    viewerDidAuthor: (source, _values, { request }) =>
      writtenOf(source).authorId === request.caller.account.id,
  };
}

/** What issues and pulls are, as far as their fields are the same. */
export interface Discussion extends AuthoredText {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly state: 'open' | 'closed';
  readonly locked: boolean;
  readonly lockReason: string | null;
  readonly comments: number;
  readonly closedAt: number | null;
}

export function discussionFields<Source extends { readonly at: RepositorySource }>(
  typeName: 'Issue' | 'PullRequest',
  discussionOf: (source: Source) => Discussion,
): Fields<Source> {
  const url = (source: Source, { request }: GraphqlContext): string => {
    const name = fullName(source.at.repository);
    const { number } = discussionOf(source);
    return typeName === 'Issue'
      ? request.urls.issueHtml(name, number)
      : request.urls.pullHtml(name, number);
  };
  const mayEdit = (source: Source, { request }: GraphqlContext): boolean =>
    discussionOf(source).authorId === request.caller.account.id ||
    atLeast(source.at.permission, typeName === 'Issue' ? 'triage' : 'write');
  return {
    ...writtenFields(discussionOf, () => null),
    ...reactionFields((source: Source) => ({ kind: 'issue', id: discussionOf(source).id })),
    id: (source) => nodeId(typeName, discussionOf(source).id),
    databaseId: (source) => discussionOf(source).id,
    fullDatabaseId: (source) => String(discussionOf(source).id),
    number: (source) => discussionOf(source).number,
    title: (source) => discussionOf(source).title,
    titleHTML: (source) => escaped(discussionOf(source).title),
    url: (source, _values, context) => url(source, context),
    resourcePath: (source, _values, context) => pathOfUrl(url(source, context)),
    closed: (source) => discussionOf(source).state === 'closed',
    closedAt: (source) => timestamp(discussionOf(source).closedAt),
    locked: (source) => discussionOf(source).locked,
    activeLockReason: (source) => lockReasonName(discussionOf(source).lockReason),
    labels: (source, values, { loaders }) =>
      connectLabels(values, source.at, () => loaders.labelsOf(discussionOf(source).id)),
    assignees: (source, values, { loaders }) =>
      connectAccounts('assignees', values, loaders, () =>
        loaders.assigneesOf(discussionOf(source).id),
      ),
    participants: (source, values, { loaders, ports }) =>
      connectAccounts('participants', values, loaders, () =>
        ports.database.readOne((sql) => participantsOf(sql, discussionOf(source).id)),
      ),
    milestone: async (source, _values, { loaders }) => {
      const milestone = await loaders.milestoneOf(discussionOf(source).id);
      return milestone ? milestoneSource(source.at, milestone) : null;
    },
    comments: (source, values, context) => {
      const { id, comments } = discussionOf(source);
      return connectComments(id, comments, source.at, values, context);
    },
    projectCards: emptyConnection,
    projectItems: emptyConnection,
    viewerCanClose: (source, _values, context) => mayEdit(source, context),
    viewerCanReopen: (source, _values, context) => mayEdit(source, context),
    viewerCanUpdate: (source, _values, context) => mayEdit(source, context),
    viewerCanSubscribe: always(true),
    viewerSubscription: async (source, _values, { loaders }) => {
      const own = await loaders.threadSubscription(discussionOf(source).id);
      return own?.state.toUpperCase() ?? 'UNSUBSCRIBED';
    },
  };
}

/** `off-topic` is `OFF_TOPIC`. */
export function lockReasonName(reason: string | null): string | null {
  return reason?.toUpperCase().replaceAll(/[ -]/g, '_') ?? null;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Users by id, in this order. */
export function connectAccounts(
  name: string,
  values: Arguments,
  loaders: GraphqlContext['loaders'],
  ids: () => Promise<readonly number[]>,
): Connection<AccountSource> {
  return connectList(
    name,
    values,
    async () => {
      const accounts = await Promise.all((await ids()).map((id) => loaders.account(id)));
      return accounts.flatMap((account) => account ?? []);
    },
    ({ account }: { readonly account: Account }) => account.id,
  );
}

/** Labels have no times: the order of their ids is that of their creation. */
export function connectLabels(
  values: Arguments,
  at: RepositorySource,
  read: () => Promise<readonly Label[]>,
): Connection<LabelSource> {
  const order = optionalObject(values, 'orderBy') ?? {};
  const byName = optionalText(order, 'field') === 'NAME';
  const wanted = optionalText(values, 'query')?.toLowerCase();
  return connectList(
    'labels',
    values,
    async () => {
      const all = await read();
      const found = all.filter(
        ({ name, description }) =>
          wanted === undefined || `${name}\n${description ?? ''}`.toLowerCase().includes(wanted),
      );
      const ordered = byName
        ? found.toSorted((one, other) => compareText(one.name, other.name))
        : found.toSorted((one, other) => one.id - other.id);
      const descending = optionalText(order, 'direction') === 'DESC';
      return (descending ? ordered.toReversed() : ordered).map((label) => labelSource(at, label));
    },
    ({ label }) => label.id,
  );
}

function compareText(one: string, other: string): number {
  const [first, second] = [one.toLowerCase(), other.toLowerCase()];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

export function labelSource(at: RepositorySource, label: Label): LabelSource {
  return { typeName: 'Label', at, label };
}

export function milestoneSource(
  at: RepositorySource,
  milestone: Milestone,
): { typeName: 'Milestone'; at: RepositorySource; milestone: Milestone } {
  return { typeName: 'Milestone', at, milestone };
}

function connectComments(
  issueId: number,
  total: number,
  at: RepositorySource,
  values: Arguments,
  { loaders }: GraphqlContext,
): Connection<CommentSource> {
  const order = optionalObject(values, 'orderBy');
  const sort = order ? 'updated' : 'created';
  const descending = optionalText(order ?? {}, 'direction') === 'DESC';
  return connect('comments', values, {
    keys: 'number',
    total: () => total,
    load: async (bounds) => {
      const slice = await loaders.comments({ issueId, sort, descending, bounds });
      const items = slice.rows.map(({ comment, key }) => ({
        node: commentSource(at, comment),
        key,
      }));
      return { items, more: slice.more };
    },
  });
}

export function commentSource(at: RepositorySource, comment: Comment): CommentSource {
  return { typeName: 'IssueComment', at, comment };
}

/** `updated_at` of comments changes only when they are edited. */
export function editTime({ createdAt, updatedAt }: AuthoredText): number | null {
  return updatedAt > createdAt ? updatedAt : null;
}

/** Fields of comments of every kind. */
export function commentRights<Source extends { readonly at: RepositorySource }>(
  commentOf: (source: Source) => Minimizable & { readonly authorId: number },
): Fields<Source> {
  const mayChange: Resolver<Source> = (source, _values, { request }) =>
    commentOf(source).authorId === request.caller.account.id ||
    atLeast(source.at.permission, 'write');
  return {
    isMinimized: (source) => commentOf(source).minimizedReason !== null,
    minimizedReason: (source) => commentOf(source).minimizedReason,
    viewerCanMinimize: ({ at }) => mayMinimize(at.permission),
    viewerCanDelete: mayChange,
    viewerCanUpdate: mayChange,
  };
}
