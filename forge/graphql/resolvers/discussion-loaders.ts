import type { KeysetBounds, Slice } from '#platform/database/keyset-store.ts';

import type { BranchProtection } from '../../branches/protection-rules.ts';
import { listRules } from '../../branches/protection-store.ts';
import { combinedCheckState } from '../../checks/check-state.ts';
import { latestCheckRuns } from '../../checks/check-store.ts';
import type { ObjectId } from '../../git/names.ts';
import { assigneesOfIssues, listAssignable } from '../../issues/assignee-store.ts';
import { sliceComments } from '../../issues/comment-store.ts';
import { type LinkedBranch, linkedBranchesOf } from '../../issues/linked-branch-store.ts';
import { labelsOfIssues } from '../../labels/label-store.ts';
import { threadSubscriptionsOf } from '../../notifications/thread-subscription-store.ts';
import { milestonesOfIssues } from '../../milestones/milestone-store.ts';
import type { UserCaller } from '../../model/caller.ts';
import type { CheckRun } from '../../model/check-run.ts';
import type { Comment } from '../../model/comment.ts';
import type { CommitStatus } from '../../model/commit-status.ts';
import type { Label } from '../../model/label.ts';
import type { Milestone } from '../../model/milestone.ts';
import { type MergeableState, mergeableState, type Pull } from '../../model/pull.ts';
import type { ThreadSubscription } from '../../model/notification.ts';
import type { Repository } from '../../model/repository.ts';
import type { Review } from '../../model/review.ts';
import type { ReviewComment } from '../../model/review-comment.ts';
import type { Team } from '../../model/team.ts';
import type { Ports } from '../../ports/ports.ts';
import { pullsById } from '../../pulls/pull-store.ts';
import { protectionOf } from '../../pulls/operations/merge-obstacles.ts';
import { type AuthorAssociation, associationsOf } from '../../repositories/association-store.ts';
import { type CurrentPosition, currentPositions } from '../../review-comments/current-positions.ts';
import { commentsOfPulls } from '../../review-comments/review-comment-store.ts';
import { requestedReviewers, requestedTeams } from '../../reviews/review-request-store.ts';
import { reviewsOfPulls } from '../../reviews/review-store.ts';
import { latestStatuses } from '../../statuses/status-store.ts';
import { createLoader } from '../engine/loader.ts';
import type { GraphqlContext } from './context.ts';
import { createTimelineLoaders, type TimelineLoaders } from './timeline-loaders.ts';

export interface CommentsRequest {
  readonly issueId: number;
  readonly sort: 'created' | 'updated';
  readonly descending: boolean;
  readonly bounds: KeysetBounds;
}

export interface ReportedChecks {
  readonly statuses: readonly CommitStatus[];
  readonly runs: readonly CheckRun[];
}

/** Batched reads of what belongs to issues and pulls. */
export type DiscussionLoaders = IssueLoaders & ReviewLoaders & RuleLoaders & TimelineLoaders;

interface IssueLoaders {
  readonly labelsOf: (issueId: number) => Promise<readonly Label[]>;
  readonly assigneesOf: (issueId: number) => Promise<readonly number[]>;
  readonly milestoneOf: (issueId: number) => Promise<Milestone | undefined>;
  readonly linkedBranches: (issueId: number) => Promise<readonly LinkedBranch[]>;
  /** Of the viewer. */
  readonly threadSubscription: (issueId: number) => Promise<ThreadSubscription | undefined>;
  readonly association: (of: OfAuthor) => Promise<AuthorAssociation>;
  readonly comments: (request: CommentsRequest) => Promise<Slice<{ comment: Comment }>>;
}

interface ReviewLoaders {
  readonly pull: (id: number) => Promise<Pull | undefined>;
  /** Those that the caller may see, in order of creation. */
  readonly reviewsOf: (pullId: number) => Promise<readonly Review[]>;
  readonly reviewCommentsOf: (pullId: number) => Promise<readonly ReviewComment[]>;
  readonly positionsOf: (pull: Pull) => Promise<ReadonlyMap<number, CurrentPosition>>;
  readonly reviewersOf: (pullId: number) => Promise<readonly number[]>;
  readonly teamsOf: (pullId: number) => Promise<readonly Team[]>;
}

interface RuleLoaders {
  /** The ids of those who may push. */
  readonly pushersOf: (repository: Repository) => Promise<ReadonlySet<number>>;
  readonly rulesOf: (repositoryId: number) => Promise<readonly BranchProtection[]>;
  readonly checksOf: (of: OfCommit) => Promise<ReportedChecks>;
  readonly mergeState: (pull: Pull) => Promise<MergeableState>;
}

interface OfAuthor {
  readonly repository: Repository;
  readonly authorId: number;
}

interface OfCommit {
  readonly repositoryId: number;
  readonly sha: ObjectId;
}

/** Users who may push to a repository; the list is read whole. */
const listed = { offset: 0, size: 10_000 };

export function createDiscussionLoaders(
  ports: Ports,
  caller: UserCaller,
  inSlot: GraphqlContext['inSlot'],
): DiscussionLoaders {
  return {
    ...createIssueLoaders(ports, caller),
    ...createReviewLoaders(ports, caller, inSlot),
    ...createRuleLoaders(ports),
    ...createTimelineLoaders(ports, inSlot),
  };
}

function byId(id: number): number {
  return id;
}

function createIssueLoaders({ database }: Ports, caller: UserCaller): IssueLoaders {
  return {
    labelsOf: createLoader(byId, async (ids) => {
      const found = await database.read((sql) => labelsOfIssues(sql, ids));
      return (id): readonly Label[] => found.get(id) ?? [];
    }),
    assigneesOf: createLoader(byId, async (ids) => {
      const found = await database.read((sql) => assigneesOfIssues(sql, ids));
      return (id): readonly number[] => found.get(id) ?? [];
    }),
    milestoneOf: createLoader(byId, async (ids) => {
      const found = await database.read((sql) => milestonesOfIssues(sql, ids));
      return (id) => found.get(id);
    }),
    linkedBranches: createLoader(byId, async (ids) => {
      const links = await database.read((sql) => linkedBranchesOf(sql, ids));
      const found = Map.groupBy(links, ({ issueId }) => issueId);
      return (id): readonly LinkedBranch[] => found.get(id) ?? [];
    }),
    threadSubscription: createLoader(byId, async (ids) => {
      const own = await database.read((sql) => threadSubscriptionsOf(sql, caller.account.id, ids));
      return (id) => own.get(id);
    }),
    association: createLoader(
      ({ repository, authorId }: OfAuthor) => `${repository.id} ${authorId}`,
      async (wanted) => {
        const found = new Map<number, Map<number, AuthorAssociation>>();
        await database.read(async (sql) => {
          for (const [id, of] of Map.groupBy(wanted, ({ repository }) => repository.id)) {
            const [first] = of;
            const ids = of.map(({ authorId }) => authorId);
            if (first) found.set(id, await associationsOf(sql, first.repository, ids));
          }
        });
        return ({ repository, authorId }) => found.get(repository.id)?.get(authorId) ?? 'NONE';
      },
    ),
    comments: createLoader(
      (request: CommentsRequest) => JSON.stringify(request),
      async (requests) => {
        const slices = await database.read((sql) => sliceComments(sql, requests));
        const found = new Map(requests.map((request, index) => [request, slices[index]]));
        return (request) => found.get(request) ?? { rows: [], more: false };
      },
    ),
  };
}

function createReviewLoaders(
  { database, git }: Ports,
  caller: UserCaller,
  inSlot: GraphqlContext['inSlot'],
): ReviewLoaders {
  const viewerId = caller.account.id;
  const reviewCommentsOf = createLoader(byId, async (ids) => {
    const found = await database.read((sql) => commentsOfPulls(sql, ids, viewerId));
    return (id): readonly ReviewComment[] => found.get(id) ?? [];
  });
  return {
    pull: createLoader(byId, async (ids) => {
      const pulls = await database.read((sql) => pullsById(sql, ids));
      const found = new Map(pulls.map((pull) => [pull.id, pull]));
      return (id) => found.get(id);
    }),
    reviewsOf: createLoader(byId, async (ids) => {
      const found = await database.read((sql) => reviewsOfPulls(sql, ids, viewerId));
      return (id): readonly Review[] => found.get(id) ?? [];
    }),
    reviewCommentsOf,
    positionsOf: createLoader(
      ({ id }: Pull) => id,
      async (pulls) => {
        const found = new Map<number, ReadonlyMap<number, CurrentPosition>>();
        for (const pull of pulls) {
          const comments = await reviewCommentsOf(pull.id);
          const repository = git.repository(pull.repositoryId);
          const byPull = new Map([[pull.id, pull]]);
          found.set(pull.id, await inSlot(() => currentPositions(repository, comments, byPull)));
        }
        return ({ id }): ReadonlyMap<number, CurrentPosition> => found.get(id) ?? new Map();
      },
    ),
    reviewersOf: createLoader(byId, async (ids) => {
      const found = await database.read((sql) => requestedReviewers(sql, ids));
      return (id): readonly number[] => found.get(id) ?? [];
    }),
    teamsOf: createLoader(byId, async (ids) => {
      const found = await database.read((sql) => requestedTeams(sql, ids, caller));
      return (id): readonly Team[] => found.get(id) ?? [];
    }),
  };
}

function createRuleLoaders({ database }: Ports): RuleLoaders {
  return {
    pushersOf: createLoader(
      ({ id }: Repository) => id,
      async (repositories) => {
        const found = new Map<number, ReadonlySet<number>>();
        await database.read(async (sql) => {
          for (const repository of repositories) {
            const { accounts } = await listAssignable(sql, repository, listed);
            found.set(repository.id, new Set(accounts.map(({ id }) => id)));
          }
        });
        return ({ id }): ReadonlySet<number> => found.get(id) ?? new Set();
      },
    ),
    rulesOf: createLoader(byId, async (ids) => {
      const found = new Map<number, BranchProtection[]>();
      await database.read(async (sql) => {
        for (const id of ids) found.set(id, await listRules(sql, id));
      });
      return (id): readonly BranchProtection[] => found.get(id) ?? [];
    }),
    checksOf: createLoader(
      ({ repositoryId, sha }: OfCommit) => `${repositoryId} ${sha}`,
      async (commits) => {
        const found = new Map<string, ReportedChecks>();
        await database.read(async (sql) => {
          for (const [id, of] of Map.groupBy(commits, ({ repositoryId }) => repositoryId)) {
            const shas = of.map(({ sha }) => sha);
            const statuses = await latestStatuses(sql, id, shas);
            const runs = await latestCheckRuns(sql, id, shas);
            for (const sha of shas) {
              const reported = { statuses: statuses.get(sha) ?? [], runs: runs.get(sha) ?? [] };
              found.set(`${id} ${sha}`, reported);
            }
          }
        });
        return ({ repositoryId, sha }) =>
          found.get(`${repositoryId} ${sha}`) ?? { statuses: [], runs: [] };
      },
    ),
    mergeState: createLoader(
      ({ id }: Pull) => id,
      async (pulls) => {
        const states = new Map<number, MergeableState>();
        await database.read(async (sql) => {
          for (const pull of pulls) {
            const statuses = await combinedCheckState(sql, pull.repositoryId, pull.head.sha);
            const protection = await protectionOf(sql, pull.repositoryId, pull);
            states.set(pull.id, mergeableState(pull, statuses, protection));
          }
        });
        return ({ id }): MergeableState => states.get(id) ?? 'unknown';
      },
    ),
  };
}
