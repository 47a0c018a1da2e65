import { accountsById } from '../accounts/account-store.ts';
import type { RequestContext } from '../http/request-context.ts';
import { notFound } from '../errors/api-error.ts';
import { page as replyPage, type Reply } from '../http/reply.ts';
import type { Ports } from '../ports/ports.ts';
import type { Repository } from '../model/repository.ts';
import { findCommit } from './known-commits.ts';
import { representStatus } from './status-json.ts';
import { listStatuses } from './status-store.ts';

/** The list both addresses answer with: all statuses of the commit that a ref names, the latest first. */
export async function replyWithStatuses(
  ref: string,
  { page, urls }: Pick<RequestContext, 'page' | 'urls'>,
  repository: Repository,
  { database, git }: Pick<Ports, 'database' | 'git'>,
): Promise<Reply> {
  const sha = (await findCommit(git, repository.id, ref)) ?? notFound();
  const { statuses, total, creators } = await database.read(async (sql) => {
    const found = await listStatuses(sql, repository.id, sha, page);
    const creatorIds = found.statuses.map((status) => status.creatorId);
    return { ...found, creators: await accountsById(sql, creatorIds) };
  });
  const items = statuses.map((status) =>
    representStatus(status, creators.get(status.creatorId), repository, urls),
  );
  return replyPage(items, total);
}
