import type { KeysetBounds } from '#platform/database/keyset-store.ts';

import { accountSlice } from '../../accounts/account-list-store.ts';
import { timestamp } from '../../json/json-values.ts';
import { nodeId } from '../../json/node-id.ts';
import {
  type Reaction,
  type ReactionContent,
  reactionContents,
  type ReactionSubject,
} from '../../model/reaction.ts';
import { type ReactionGroup, reactorsOf, sliceReactions } from '../../reactions/reaction-store.ts';
import { type Arguments, optionalObject, optionalText } from '../engine/arguments.ts';
import { connect, type Connection, emptyConnection } from '../engine/connection.ts';
import type { Fields, GraphqlContext, Resolvers } from './context.ts';
import { accountSource, type AccountSource } from './sources.ts';

const names: Readonly<Record<ReactionContent, string>> = {
  '+1': 'THUMBS_UP',
  '-1': 'THUMBS_DOWN',
  laugh: 'LAUGH',
  hooray: 'HOORAY',
  confused: 'CONFUSED',
  heart: 'HEART',
  rocket: 'ROCKET',
  eyes: 'EYES',
};

/** What REST calls a content of the enumeration. */
export function contentNamed(name: string | undefined): ReactionContent | undefined {
  return reactionContents.find((content) => names[content] === name);
}

interface ReactionSource {
  readonly reaction: Reaction;
  /** The source of what it is to. */
  readonly reactable: unknown;
}

interface GroupSource {
  readonly content: ReactionContent;
  readonly reactable: unknown;
  /** undefined: nothing of this type can be reacted to. */
  readonly subject: ReactionSubject | undefined;
}

interface ReactionConnection extends Connection<ReactionSource> {
  readonly viewerHasReacted: () => Promise<boolean>;
}

/** Fields of what can be reacted to; of reviews, there is none to react to over REST. */
export function reactionFields<Source>(
  subjectOf: (source: Source) => ReactionSubject | undefined,
): Fields<Source> {
  return {
    // Always all of them: clients look each up by its content.
    reactionGroups: (source): GroupSource[] =>
      reactionContents.map((content) => {
        return { content, reactable: source, subject: subjectOf(source) };
      }),
    reactions: (source, values, context) => reactionsOf(source, subjectOf(source), values, context),
    viewerCanReact: (source) => subjectOf(source) !== undefined,
  };
}

function reactionsOf(
  reactable: unknown,
  subject: ReactionSubject | undefined,
  values: Arguments,
  context: GraphqlContext,
): ReactionConnection {
  if (!subject) return { ...emptyConnection(), viewerHasReacted: async () => false };
  const content = contentNamed(optionalText(values, 'content'));
  const order = optionalObject(values, 'orderBy') ?? {};
  const descending = optionalText(order, 'direction') === 'DESC';
  const groups = async (): Promise<ReactionGroup[]> => {
    const all = await context.loaders.reactionGroupsOf(subject);
    return [...all].flatMap(([name, group]) =>
      content === undefined || name === content ? [group] : [],
    );
  };
  const load = async (bounds: KeysetBounds) => {
    const { rows, more } = await context.ports.database.read((sql) =>
      sliceReactions(sql, subject, content, { ...bounds, descending }),
    );
    const items = rows.map(({ key, ...reaction }) => ({ node: { reaction, reactable }, key }));
    return { items, more };
  };
  const total = async (): Promise<number> =>
    (await groups()).reduce((sum, group) => sum + group.total, 0);
  return {
    ...connect<ReactionSource>('reactions', values, { load, total, keys: 'number' }),
    viewerHasReacted: async () => (await groups()).some(({ own }) => own),
  };
}

function reactors(name: string): Fields<GroupSource>[string] {
  return ({ subject, content }, values, context): Connection<AccountSource> => {
    if (!subject) return emptyConnection();
    const list = reactorsOf(subject, content);
    const load = async (bounds: KeysetBounds) => {
      const { rows, more } = await context.ports.database.read((sql) =>
        accountSlice(sql, list, bounds),
      );
      const items = rows.map(({ account, key }) => ({ node: accountSource(account), key }));
      return { items, more };
    };
    const total = async (): Promise<number> =>
      (await groupOf({ subject, content }, context))?.total ?? 0;
    return connect(name, values, { load, total, keys: 'number' });
  };
}

async function groupOf(
  { subject, content }: Pick<GroupSource, 'subject' | 'content'>,
  { loaders }: GraphqlContext,
): Promise<ReactionGroup | undefined> {
  return subject && (await loaders.reactionGroupsOf(subject)).get(content);
}

const groupFields: Fields<GroupSource> = {
  content: ({ content }) => names[content],
  subject: ({ reactable }) => reactable,
  createdAt: async (source, _values, context) =>
    timestamp((await groupOf(source, context))?.since ?? null),
  reactors: reactors('reactors'),
  users: reactors('users'),
  viewerHasReacted: async (source, _values, context) =>
    (await groupOf(source, context))?.own ?? false,
};

const reactionFieldsOfType: Fields<ReactionSource> = {
  id: ({ reaction }) => nodeId('Reaction', reaction.id),
  databaseId: ({ reaction }) => reaction.id,
  content: ({ reaction }) => names[reaction.content],
  createdAt: ({ reaction }) => timestamp(reaction.createdAt),
  reactable: ({ reactable }) => reactable,
  // The bot of an App is no user.
  user: async ({ reaction }, _values, { loaders }) => {
    const account = await loaders.account(reaction.accountId);
    return account?.typeName === 'User' ? account : null;
  },
};

/** The key of a reaction in its list is its time. */
const reactedAt: Fields<{ readonly key: { readonly by: string | number } }> = {
  reactedAt: ({ key }) => timestamp(Number(key.by)),
};

export const reactionResolvers: Resolvers = {
  ReactionGroup: groupFields,
  Reaction: reactionFieldsOfType,
  ReactionConnection: {
    viewerHasReacted: (source: ReactionConnection) => source.viewerHasReacted(),
  },
  ReactingUserEdge: reactedAt,
  ReactorEdge: reactedAt,
};
