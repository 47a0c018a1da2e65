import { representAccount } from '../accounts/account-representation.ts';
import type { Account } from '../accounts/account.ts';
import type { Json } from '../conventions/json-values.ts';
import type { Urls } from '../urls.ts';
import { type BranchRules, enforcementLevel, type StatusChecks } from './branch-rules.ts';

type Representation = { [member: string]: Json };

/** Where the rules of a branch are, and who may push to it. */
export interface RulesSurroundings {
  readonly repositoryName: string;
  readonly pushers: readonly Account[];
}

/** `GET /repos/:owner/:repo/branches/:branch/protection`: demands that are not made have no member. */
export function representRules(
  rules: BranchRules,
  { repositoryName, pushers }: RulesSurroundings,
  urls: Urls,
): Representation {
  const url = `${urls.branch(repositoryName, rules.branch)}/protection`;
  const { statusChecks, reviews } = rules;
  return {
    url,
    enabled: true,
    ...(statusChecks && {
      required_status_checks: representStatusChecks(rules, statusChecks, url),
    }),
    ...(reviews && {
      required_pull_request_reviews: {
        url: `${url}/required_pull_request_reviews`,
        dismiss_stale_reviews: reviews.dismissStale,
        require_code_owner_reviews: false,
        required_approving_review_count: reviews.approvals,
      },
    }),
    enforce_admins: { url: `${url}/enforce_admins`, enabled: rules.enforceAdmins },
    ...(rules.pusherIds && {
      restrictions: {
        url: `${url}/restrictions`,
        users_url: `${url}/restrictions/users`,
        teams_url: `${url}/restrictions/teams`,
        apps_url: `${url}/restrictions/apps`,
        users: pushers.map((account) => representAccount(account, urls)),
        teams: [],
        apps: [],
      },
    }),
    required_linear_history: { enabled: false },
    allow_force_pushes: { enabled: rules.allowForcePushes },
    allow_deletions: { enabled: rules.allowDeletions },
  };
}

/** `protectionUrl` is the address of the rules they are part of. */
export function representStatusChecks(
  rules: BranchRules,
  checks: StatusChecks,
  protectionUrl: string,
): Representation {
  const url = `${protectionUrl}/required_status_checks`;
  return {
    url,
    enforcement_level: enforcementLevel(rules),
    strict: checks.strict,
    contexts: checks.contexts,
    contexts_url: `${url}/contexts`,
  };
}
