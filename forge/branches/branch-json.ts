import type { Json } from '../json/json-values.ts';
import type { Ref } from '../git/git.ts';
import type { Urls } from '../json/urls.ts';
import { type BranchProtection, contextsOf, enforcementLevel } from './protection-rules.ts';
import { representChecks } from './protection-json.ts';

type Representation = { [field: string]: Json };

/** A branch as lists have it. */
export function representShortBranch(
  ref: Pick<Ref, 'name' | 'id'>,
  isProtected: boolean,
  repositoryFullName: string,
  urls: Urls,
): Representation {
  return {
    name: ref.name.slice('refs/heads/'.length),
    commit: { sha: ref.id, url: urls.commit(repositoryFullName, ref.id) },
    protected: isProtected,
  };
}

/** A single branch. `commit` is the whole commit at its tip. */
export function representBranch(
  name: string,
  commit: Representation,
  rules: BranchProtection | undefined,
  repositoryFullName: string,
  urls: Urls,
): Representation {
  const url = urls.branch(repositoryFullName, name);
  const checks = rules?.statusChecks?.checks ?? [];
  return {
    name,
    commit,
    _links: { self: url, html: urls.treeHtml(repositoryFullName, name, '') },
    protected: rules !== undefined,
    protection: {
      enabled: rules !== undefined,
      required_status_checks: {
        enforcement_level: enforcementLevel(rules),
        contexts: contextsOf(checks),
        checks: representChecks(checks),
      },
    },
    protection_url: `${url}/protection`,
  };
}
