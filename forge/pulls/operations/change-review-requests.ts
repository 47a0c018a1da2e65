import type { RequestContext } from '../../http/request-context.ts';
import type { Json } from '../../json/json-values.ts';
import { touchIssue } from '../../issues/issue-change-store.ts';
import { recordEvent } from '../../issues/issue-event-store.ts';
import type { UserCaller } from '../../model/caller.ts';
import type { IssueChange } from '../../model/issue.ts';
import type { Ports } from '../../ports/ports.ts';
import { representPullSummary } from '../pull-json.ts';
import type { Pull } from '../../model/pull.ts';
import { loadPullRelations } from './pull-relations.ts';
import { type Repository } from '../../model/repository.ts';
import { writeRepository, type RepositoryWrite } from '../../events/invalidate.ts';
import { emitPullEvent } from '../../events/event-outbox-store.ts';
import { getPull } from '../../reviews/change-review.ts';
import type { RequestedReviewer } from '../../reviews/review-request-store.ts';

type RequestsRequest = Pick<RequestContext<UserCaller>, 'caller' | 'now' | 'media' | 'urls'> & {
  readonly path: { readonly pull_number: number };
};

type RequestEvent = 'review_requested' | 'review_request_removed';
type EmitReviewRequest = (event: RequestEvent, about: RequestedReviewer) => Promise<void>;

/** Changes the requested reviewers of a pull, and returns its representation in lists. */
export async function changeReviewRequests(
  { database }: Pick<Ports, 'database'>,
  repository: Repository,
  request: RequestsRequest,
  change: (sql: RepositoryWrite, pull: Pull, emit: EmitReviewRequest) => Promise<void>,
): Promise<Json> {
  const { caller, path, now, media, urls } = request;
  const actorId = caller.account.id;
  return writeRepository(database, repository.id, async (sql) => {
    const pull = await getPull(sql, repository, path.pull_number);
    const made = { issueId: pull.id, repositoryId: repository.id, actorId, now };
    await change(sql, pull, (event, about) => emitReviewRequest(sql, pull, made, { event, about }));
    await touchIssue(sql, made);
    const changed = await getPull(sql, repository, path.pull_number);
    const relations = await loadPullRelations(sql, repository, [changed], caller);
    return representPullSummary(changed, relations, media.format, urls);
  });
}

/** Writes to the timeline of the pull and to webhooks. */
async function emitReviewRequest(
  sql: RepositoryWrite,
  pull: Pull,
  change: IssueChange,
  { event, about }: { event: RequestEvent; about: RequestedReviewer },
): Promise<void> {
  await recordEvent(sql, change, { event, ...about });
  await emitPullEvent(sql, pull, change.actorId, { action: event, about }, change.now);
}
