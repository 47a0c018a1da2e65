import type { Json } from '../conventions/json-values.ts';
import type { Ref } from '../git/git.ts';
import type { Urls } from '../urls.ts';

type Representation = { [member: string]: Json };

/** A branch as lists have it. No branch has rules yet, so none is protected. */
export function representShortBranch(
  ref: Pick<Ref, 'name' | 'id'>,
  repositoryFullName: string,
  urls: Urls,
): Representation {
  return {
    name: ref.name.slice('refs/heads/'.length),
    commit: { sha: ref.id, url: urls.commit(repositoryFullName, ref.id) },
    protected: false,
  };
}

/** A single branch. `commit` is the whole commit at its tip. */
export function representBranch(
  name: string,
  commit: Representation,
  repositoryFullName: string,
  urls: Urls,
): Representation {
  const url = urls.branch(repositoryFullName, name);
  return {
    name,
    commit,
    _links: { self: url, html: urls.treeHtml(repositoryFullName, name, '') },
    protected: false,
    protection: {
      enabled: false,
      required_status_checks: { enforcement_level: 'off', contexts: [] },
    },
    protection_url: `${url}/protection`,
  };
}
