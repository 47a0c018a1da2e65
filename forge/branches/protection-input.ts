import Type, { type Static } from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { type FieldError, invalid } from '../errors/api-error.ts';
import { orNull } from '../http/schemas.ts';
import type { Repository } from '../model/repository.ts';
import {
  approvalsMax,
  type BranchRules,
  contextsMax,
  type ReviewRules,
} from './protection-rules.ts';
import { pushersOf } from './push-allow-list.ts';

/** What is demanded of reviews; also by itself. */
export const reviewsBody = Type.Object({
  dismissal_restrictions: Type.Optional(
    Type.Object({
      users: Type.Optional(Type.Array(Type.String())),
      teams: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  dismiss_stale_reviews: Type.Optional(Type.Boolean()),
  require_code_owner_reviews: Type.Optional(Type.Boolean()),
  required_approving_review_count: Type.Optional(Type.Integer()),
});

/** All members are required; null disables a rule. */
export const rulesBody = Type.Object({
  required_status_checks: orNull(
    Type.Object({ strict: Type.Boolean(), contexts: Type.Array(Type.String()) }),
  ),
  enforce_admins: orNull(Type.Boolean()),
  required_pull_request_reviews: orNull(reviewsBody),
  restrictions: orNull(
    Type.Object({
      users: Type.Array(Type.String()),
      teams: Type.Array(Type.String()),
      apps: Type.Optional(orNull(Type.Array(Type.String()))),
    }),
  ),
  required_linear_history: Type.Optional(orNull(Type.Boolean())),
  allow_force_pushes: Type.Optional(orNull(Type.Boolean())),
  allow_deletions: Type.Optional(orNull(Type.Boolean())),
});

export type RulesBody = Static<typeof rulesBody>;

/** The rules in a body. Rules that Hob cannot enforce are refused, never stored. */
export async function rulesOfBody(
  sql: Sql,
  repository: Repository,
  branch: string,
  body: RulesBody,
): Promise<BranchRules> {
  refuseUnsupported(body);
  const reviews = body.required_pull_request_reviews;
  const checks = body.required_status_checks;
  return {
    branch,
    statusChecks: checks
      ? { strict: checks.strict, contexts: fittingContexts(checks.contexts) }
      : undefined,
    reviews: reviews ? reviewRulesOf(reviews, undefined) : undefined,
    enforceAdmins: body.enforce_admins ?? false,
    pushers: body.restrictions ? await pushersOf(sql, repository, body.restrictions) : undefined,
    allowForcePushes: body.allow_force_pushes ?? false,
    allowDeletions: body.allow_deletions ?? false,
  };
}

export function fittingContexts(contexts: readonly string[]): string[] {
  const unique = [...new Set(contexts)];
  if (unique.length > contextsMax) {
    invalid(custom('contexts', `A branch can have at most ${contextsMax} required contexts.`));
  }
  return unique;
}

/** What a body demands of reviews; what it leaves out is as before. */
export function reviewRulesOf(
  body: Static<typeof reviewsBody>,
  before: ReviewRules | undefined,
): ReviewRules {
  const dismissal = body.dismissal_restrictions;
  refuseMissing([
    [body.require_code_owner_reviews === true, 'require_code_owner_reviews'],
    [
      [...(dismissal?.users ?? []), ...(dismissal?.teams ?? [])].length > 0,
      'dismissal_restrictions',
    ],
  ]);
  const approvals = body.required_approving_review_count ?? before?.approvals ?? 1;
  if (approvals < 1 || approvals > approvalsMax) {
    const message = `The number of required reviews must be between 1 and ${approvalsMax}.`;
    invalid(custom('required_approving_review_count', message));
  }
  const dismissStale = body.dismiss_stale_reviews ?? before?.dismissStale ?? false;
  return { approvals, dismissStale };
}

function refuseUnsupported(body: RulesBody): void {
  refuseMissing([
    [body.required_linear_history === true, 'required_linear_history'],
    [(body.restrictions?.apps ?? []).length > 0, 'restrictions'],
  ]);
}

function refuseMissing(unsupported: readonly (readonly [boolean, string])[]): void {
  const errors = unsupported.flatMap(([requested, field]) =>
    requested ? [custom(field, `${field} is not supported by this server.`)] : [],
  );
  if (errors.length > 0) invalid(...errors);
}

function custom(field: string, message: string): FieldError {
  return { resource: 'ProtectedBranch', field, code: 'custom', message };
}
