import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { representTeam } from '../teams/team-json.ts';
import type { RequiredContext } from '../model/check-run.ts';
import type { Team } from '../model/team.ts';
import {
  type BranchProtection,
  contextsOf,
  enforcementLevel,
  type ReviewRules,
  type StatusChecks,
} from './protection-rules.ts';

type Representation = { [field: string]: Json };

/** Where the rules of a branch are, and who may push to it. */
export interface ProtectionRelations {
  readonly repositoryName: string;
  readonly users: readonly Account[];
  readonly teams: readonly Team[];
}

/** `GET /repos/:owner/:repo/branches/:branch/protection`: demands that are not made have no field. */
export function representRules(
  rules: BranchProtection,
  relations: ProtectionRelations,
  urls: Urls,
): Representation {
  const url = protectionUrl(rules, relations.repositoryName, urls);
  const { statusChecks, reviews } = rules;
  return {
    url,
    enabled: true,
    ...(statusChecks && {
      required_status_checks: representStatusChecks(rules, statusChecks, url),
    }),
    ...(reviews && { required_pull_request_reviews: representReviewRules(reviews, url) }),
    enforce_admins: representEnforcement(rules, url),
    ...(rules.pushers && { restrictions: representRestrictions(relations, url, urls) }),
    required_linear_history: { enabled: false },
    allow_force_pushes: { enabled: rules.allowForcePushes },
    allow_deletions: { enabled: rules.allowDeletions },
  };
}

export function protectionUrl(rules: BranchProtection, repositoryName: string, urls: Urls): string {
  return `${urls.branch(repositoryName, rules.branch)}/protection`;
}

/** What follows takes the URL of the rules it is part of. */
export function representEnforcement(rules: BranchProtection, url: string): Representation {
  return { url: `${url}/enforce_admins`, enabled: rules.enforceAdmins };
}

export function representReviewRules(reviews: ReviewRules, url: string): Representation {
  return {
    url: `${url}/required_pull_request_reviews`,
    dismiss_stale_reviews: reviews.dismissStale,
    require_code_owner_reviews: false,
    required_approving_review_count: reviews.approvals,
  };
}

export function representRestrictions(
  { users, teams }: Pick<ProtectionRelations, 'users' | 'teams'>,
  protection: string,
  urls: Urls,
): Representation {
  const url = `${protection}/restrictions`;
  return {
    url,
    users_url: `${url}/users`,
    teams_url: `${url}/teams`,
    apps_url: `${url}/apps`,
    users: users.map((account) => representAccount(account, urls)),
    teams: teams.map((team) => representTeam(team, urls)),
    apps: [],
  };
}

/** `checks`, for newer clients: those without an App can be satisfied by any user who may post statuses. */
export function representChecks(checks: readonly RequiredContext[]): Json {
  return checks.map(({ context, appId }) => ({ context, app_id: appId }));
}

export function representStatusChecks(
  rules: BranchProtection,
  checks: StatusChecks,
  protection: string,
): Representation {
  const url = `${protection}/required_status_checks`;
  return {
    url,
    enforcement_level: enforcementLevel(rules),
    strict: checks.strict,
    contexts: contextsOf(checks.checks),
    checks: representChecks(checks.checks),
    contexts_url: `${url}/contexts`,
  };
}
