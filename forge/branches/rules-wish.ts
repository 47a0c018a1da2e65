import Type, { type Static } from 'typebox';

import type { Sql } from '#platform/database.ts';

import { findAccount } from '../accounts/account-store.ts';
import { type FieldError, invalid } from '../conventions/refusal.ts';
import { orNull } from '../conventions/shapes.ts';
import type { Repository } from '../repositories/repository.ts';
import { approvalsMax, type BranchRules, contextsMax, pushersMax } from './branch-rules.ts';

/** The members that tell what is demanded must all be there, null where nothing is. */
export const rulesBody = Type.Object({
  required_status_checks: orNull(
    Type.Object({ strict: Type.Boolean(), contexts: Type.Array(Type.String()) }),
  ),
  enforce_admins: orNull(Type.Boolean()),
  required_pull_request_reviews: orNull(
    Type.Object({
      dismissal_restrictions: Type.Optional(
        Type.Object({
          users: Type.Optional(Type.Array(Type.String())),
          teams: Type.Optional(Type.Array(Type.String())),
        }),
      ),
      dismiss_stale_reviews: Type.Optional(Type.Boolean()),
      require_code_owner_reviews: Type.Optional(Type.Boolean()),
      required_approving_review_count: Type.Optional(Type.Integer()),
    }),
  ),
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

/** The rules that a body asks for. What would not be obeyed is refused, never stored. */
export async function rulesOfBody(
  sql: Sql,
  repository: Repository,
  branch: string,
  body: RulesBody,
): Promise<BranchRules> {
  refuseUnsupported(body);
  const reviews = body.required_pull_request_reviews;
  const approvals = reviews?.required_approving_review_count ?? 1;
  if (reviews && (approvals < 1 || approvals > approvalsMax)) {
    invalid(
      custom(
        'required_approving_review_count',
        `Between 1 and ${approvalsMax} reviews can be required.`,
      ),
    );
  }
  const checks = body.required_status_checks;
  return {
    branch,
    statusChecks: checks
      ? { strict: checks.strict, contexts: fittingContexts(checks.contexts) }
      : undefined,
    reviews: reviews
      ? { approvals, dismissStale: reviews.dismiss_stale_reviews ?? false }
      : undefined,
    enforceAdmins: body.enforce_admins ?? false,
    pusherIds: body.restrictions
      ? await pushersOf(sql, repository, body.restrictions.users)
      : undefined,
    allowForcePushes: body.allow_force_pushes ?? false,
    allowDeletions: body.allow_deletions ?? false,
  };
}

export function fittingContexts(contexts: readonly string[]): string[] {
  const unique = [...new Set(contexts)];
  if (unique.length > contextsMax) {
    invalid(custom('contexts', `At most ${contextsMax} contexts can be required.`));
  }
  return unique;
}

function refuseUnsupported(body: RulesBody): void {
  const reviews = body.required_pull_request_reviews;
  const dismissal = reviews?.dismissal_restrictions;
  const { restrictions } = body;
  const lacking: readonly (readonly [boolean, string])[] = [
    [body.required_linear_history === true, 'required_linear_history'],
    [reviews?.require_code_owner_reviews === true, 'require_code_owner_reviews'],
    [
      [...(dismissal?.users ?? []), ...(dismissal?.teams ?? [])].length > 0,
      'dismissal_restrictions',
    ],
    [[...(restrictions?.teams ?? []), ...(restrictions?.apps ?? [])].length > 0, 'restrictions'],
  ];
  const errors = lacking.flatMap(([asked, field]) =>
    asked ? [custom(field, `This server has no ${field.replaceAll('_', ' ')} of this kind.`)] : [],
  );
  if (errors.length > 0) invalid(...errors);
}

async function pushersOf(
  sql: Sql,
  repository: Repository,
  logins: readonly string[],
): Promise<number[]> {
  if (repository.owner.kind === 'user') {
    const message = 'Only organization repositories can have users and team restrictions';
    invalid(custom('restrictions', message));
  }
  if (logins.length > pushersMax) {
    invalid(custom('restrictions', `At most ${pushersMax} users can be named.`));
  }
  const ids: number[] = [];
  for (const login of logins) {
    const account = await findAccount(sql, login);
    if (account?.kind !== 'user') {
      return invalid({ ...custom('restrictions', `${login} is not a user.`), value: login });
    }
    ids.push(account.id);
  }
  return ids;
}

function custom(field: string, message: string): FieldError {
  return { resource: 'ProtectedBranch', field, code: 'custom', message };
}
