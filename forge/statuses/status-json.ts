import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import type { ObjectId } from '../git/names.ts';
import { nodeId } from '../json/node-id.ts';
import { representMinimalRepository } from '../repositories/repository-json.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import type { CombinedStatus, CommitStatus } from '../model/commit-status.ts';

type Representation = { [field: string]: Json };

/** A status as it is created and listed (docs/specification/forge.md 9.4). */
export function representStatus(
  status: CommitStatus,
  creator: Account | undefined,
  repository: Repository,
  urls: Urls,
): Representation {
  return {
    ...representContextStatus(status, repository, urls),
    creator: creator ? representAccount(creator, urls) : null,
  };
}

/** A combined status (docs/specification/forge.md 9.5). A commit without statuses is pending there (docs/specification/forge.md 11.4). */
export function representCombinedStatus(
  sha: ObjectId,
  combined: CombinedStatus,
  repository: Repository,
  urls: Urls,
): Representation {
  const commitUrl = urls.commit(fullName(repository), sha);
  return {
    state: combined.state === 'none' ? 'pending' : combined.state,
    statuses: combined.statuses.map((status) => representContextStatus(status, repository, urls)),
    sha,
    total_count: combined.contexts,
    repository: representMinimalRepository(repository, urls),
    commit_url: commitUrl,
    url: `${commitUrl}/status`,
  };
}

/** An entry of a combined status, without the creator. */
export function representContextStatus(
  status: CommitStatus,
  repository: Repository,
  urls: Urls,
): Representation {
  return {
    url: urls.status(fullName(repository), status.sha),
    avatar_url: urls.avatar(status.creatorId),
    id: status.id,
    node_id: nodeId('StatusContext', status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: timestamp(status.createdAt),
    updated_at: timestamp(status.createdAt),
  };
}
