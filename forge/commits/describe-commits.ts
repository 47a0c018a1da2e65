import type { Sql } from '#platform/database/database.ts';

import { usersByEmail } from '../accounts/account-store.ts';
import type { Json } from '../json/json-values.ts';
import type { Commit } from '../git/git.ts';
import type { Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { emailsOf, representCommit } from './commit-json.ts';

type Representation = { [field: string]: Json };

/** Commits with the users behind their addresses: one statement, whatever their number. */
export async function describeCommits(
  sql: Sql,
  commits: readonly Commit[],
  repository: Repository,
  urls: Urls,
): Promise<Representation[]> {
  const users = await usersByEmail(sql, emailsOf(commits));
  return commits.map((commit) => representCommit(commit, repository, users, urls));
}

export async function describeCommit(
  sql: Sql,
  commit: Commit,
  repository: Repository,
  urls: Urls,
): Promise<Representation> {
  const users = await usersByEmail(sql, emailsOf([commit]));
  return representCommit(commit, repository, users, urls);
}
