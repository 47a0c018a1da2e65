import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import { noContent, page, type EndpointResult } from '../http/endpoint-result.ts';
import type { RequestContext } from '../http/request-context.ts';
import { stringEnum, readQuery } from '../http/schemas.ts';
import type { UserCaller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import { reactionContents, type ReactionSubject } from '../model/reaction.ts';
import type { Ports } from '../ports/ports.ts';
import type { RepositoryAccess } from '../repositories/repository-access.ts';
import { representReaction } from './reaction-json.ts';
import { deleteReaction, listReactions, putReaction } from './reaction-store.ts';

export const reactionBody = Type.Object({ content: stringEnum(reactionContents) });

const listQuery = Type.Object({ content: Type.Optional(stringEnum(reactionContents)) });

/** What is reacted to; undefined if it does not exist. In a locked conversation, reactions require push permission. */
export type FindSubject = (
  sql: Sql,
) => Promise<(ReactionSubject & { readonly locked?: boolean }) | undefined>;

export async function reactionsReply(
  find: FindSubject,
  { query, page: bounds, urls }: Pick<RequestContext, 'query' | 'page' | 'urls'>,
  { database }: Pick<Ports, 'database'>,
): Promise<EndpointResult> {
  const { content } = readQuery(listQuery, query, { resource: 'Reaction', refuse: ['content'] });
  return database.read(async (sql) => {
    const subject = (await find(sql)) ?? notFound();
    const { reactions, total } = await listReactions(sql, subject, content, bounds);
    const accounts = await accountsById(
      sql,
      reactions.map(({ accountId }) => accountId),
    );
    const body = reactions.map((reaction) =>
      representReaction(reaction, accounts.get(reaction.accountId), urls),
    );
    return page(body, total);
  });
}

/** 201 for a new reaction, 200 for one that the caller has made before. */
export async function react(
  find: FindSubject,
  request: Pick<RequestContext<UserCaller>, 'caller' | 'urls' | 'now'> & {
    readonly body: { readonly content: (typeof reactionContents)[number] };
  },
  access: RepositoryAccess,
  { database }: Pick<Ports, 'database'>,
): Promise<EndpointResult> {
  const { caller, body, urls, now } = request;
  const { reaction, created } = await writeRepository(
    database,
    access.repository.id,
    async (sql) => {
      const subject = (await find(sql)) ?? notFound();
      refuseLocked(subject, access);
      const own = { accountId: caller.account.id, content: body.content };
      return putReaction(sql, subject, own, now);
    },
  );
  const shown = representReaction(reaction, caller.account, urls);
  return { kind: 'json', status: created ? 201 : 200, body: shown };
}

/** Everybody takes back their own reactions only. */
export async function unreact(
  find: FindSubject,
  reactionId: number,
  { caller }: Pick<RequestContext<UserCaller>, 'caller'>,
  { repository }: RepositoryAccess,
  { database }: Pick<Ports, 'database'>,
): Promise<EndpointResult> {
  await writeRepository(database, repository.id, async (sql) => {
    const subject = (await find(sql)) ?? notFound();
    const own = { reactionId, accountId: caller.account.id };
    if (!(await deleteReaction(sql, subject, own))) notFound();
  });
  return noContent();
}

function refuseLocked(
  { locked = false }: { readonly locked?: boolean },
  { permission }: RepositoryAccess,
): void {
  if (!locked || atLeast(permission, 'write')) return;
  refuse({ kind: 'forbidden', message: 'Unable to react because the conversation is locked.' });
}
