import Type, { type Static } from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { type FieldError, invalid } from '../errors/api-error.ts';
import { installationOnAccount } from '../auth/apps/installation-store.ts';
import { lastAppOfCheck } from '../checks/check-store.ts';
import { nullable } from '../http/schemas.ts';
import type { RequiredContext } from '../model/check-run.ts';
import type { Repository } from '../model/repository.ts';
import {
  approvalsMax,
  type BranchProtection,
  contextsMax,
  type ReviewRules,
} from './protection-rules.ts';
import { pushersOf } from './push-allow-list.ts';

/** As an `app_id`: any reporter of the check. */
const anyApp = -1;

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

/** `contexts` is what older clients send. */
export const checksProperties = {
  contexts: Type.Optional(Type.Array(Type.String())),
  checks: Type.Optional(
    Type.Array(
      Type.Object({
        context: Type.String(),
        app_id: Type.Optional(
          nullable(Type.Integer({ minimum: anyApp, maximum: Number.MAX_SAFE_INTEGER })),
        ),
      }),
    ),
  ),
};

/** All fields are required; null disables a rule. */
export const rulesBody = Type.Object({
  required_status_checks: nullable(Type.Object({ strict: Type.Boolean(), ...checksProperties })),
  enforce_admins: nullable(Type.Boolean()),
  required_pull_request_reviews: nullable(reviewsBody),
  restrictions: nullable(
    Type.Object({
      users: Type.Array(Type.String()),
      teams: Type.Array(Type.String()),
      apps: Type.Optional(nullable(Type.Array(Type.String()))),
    }),
  ),
  required_linear_history: Type.Optional(nullable(Type.Boolean())),
  allow_force_pushes: Type.Optional(nullable(Type.Boolean())),
  allow_deletions: Type.Optional(nullable(Type.Boolean())),
});

export type RulesBody = Static<typeof rulesBody>;

/** The rules in a body. Rules that Hob cannot enforce are refused, never stored. */
export async function rulesOfBody(
  sql: Sql,
  repository: Repository,
  branch: string,
  body: RulesBody,
): Promise<BranchProtection> {
  refuseUnsupported(body);
  const reviews = body.required_pull_request_reviews;
  const checks = body.required_status_checks;
  return {
    branch,
    statusChecks: checks
      ? { strict: checks.strict, checks: await checksOfBody(sql, repository, checks) }
      : undefined,
    reviews: reviews ? reviewRulesOf(reviews, undefined) : undefined,
    enforceAdmins: body.enforce_admins ?? false,
    pushers: body.restrictions ? await pushersOf(sql, repository, body.restrictions) : undefined,
    allowForcePushes: body.allow_force_pushes ?? false,
    allowDeletions: body.allow_deletions ?? false,
  };
}

interface ChecksBody {
  readonly contexts?: readonly string[];
  readonly checks?: readonly { readonly context: string; readonly app_id?: number | null }[];
}

/** The checks that a body requires; both of its lists count. */
export async function checksOfBody(
  sql: Sql,
  repository: Repository,
  { contexts, checks }: ChecksBody,
): Promise<RequiredContext[]> {
  if (!contexts && !checks) {
    return invalid({ resource: 'ProtectedBranch', field: 'contexts', code: 'missing_field' });
  }
  const bound: RequiredContext[] = [];
  for (const { context, app_id: appId } of (checks ?? []).slice(0, contextsMax + 1)) {
    bound.push({ context, appId: await appOfCheck(sql, repository, context, appId) });
  }
  return fittingChecks(withContexts(bound, contexts ?? []));
}

/** Adds contexts that anybody may report, unless an App must report them already. */
export function withContexts(
  checks: readonly RequiredContext[],
  contexts: readonly string[],
): RequiredContext[] {
  const present = new Set(checks.map(({ context }) => context));
  const more = contexts.filter((context) => !present.has(context));
  return [...checks, ...more.map((context) => ({ context, appId: null }))];
}

export function fittingChecks(checks: readonly RequiredContext[]): RequiredContext[] {
  const unique = [
    ...new Map(
      checks.map((check) => [JSON.stringify([check.context, check.appId]), check]),
    ).values(),
  ];
  if (unique.length > contextsMax) {
    invalid(custom('contexts', `A branch can have at most ${contextsMax} required contexts.`));
  }
  return unique;
}

/** Without a choice, as on GitHub, the App that has reported the check last. */
async function appOfCheck(
  sql: Sql,
  repository: Repository,
  context: string,
  appId: number | null | undefined,
): Promise<number | null> {
  if (appId === undefined) return (await lastAppOfCheck(sql, repository.id, context)) ?? null;
  if (appId === null || appId === anyApp) return null;
  // Other Apps are refused alike, whether they exist or not: some are private.
  if (await installationOnAccount(sql, appId, repository.owner.id)) return appId;
  return invalid(custom('checks', `checks names the App ${appId}, which is not installed here`));
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
