import type { Sql } from '#platform/database/database.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import { type AccountRow, accountFromRow, placeholders } from '../accounts/account-store.ts';
import { caseless } from '../model/account.ts';
import type { Repository, RepositoryUpdate } from '../model/repository.ts';

interface RepositoryOwnRow {
  id: number;
  network_id: number;
  name: string;
  parent_id: number | null;
  template_id: number | null;
  state: 'creating' | 'ready' | 'deleting';
  description: string | null;
  homepage: string | null;
  private: number;
  default_branch: string;
  has_issues: number;
  has_projects: number;
  has_wiki: number;
  has_downloads: number;
  is_template: number;
  archived: number;
  allow_merge_commit: number;
  allow_squash_merge: number;
  allow_rebase_merge: number;
  delete_branch_on_merge: number;
  allow_auto_merge: number;
  size_kib: number;
  language: string | null;
  license: string | null;
  topics: string;
  open_issues: number;
  forks: number;
  stargazers: number;
  subscribers: number;
  created_at: number;
  updated_at: number;
  pushed_at: number | null;
}

type Prefixed<T> = { [K in keyof T as `owner_${string & K}`]: T[K] };
export type RepositoryRow = RepositoryOwnRow & Prefixed<AccountRow>;

const accountFields = [
  'id',
  'kind',
  'login',
  'name',
  'email',
  'email_hidden',
  'company',
  'blog',
  'location',
  'bio',
  'site_admin',
  'suspended_at',
  'time_zone',
  'created_at',
  'updated_at',
] as const;

/** The columns of a repository and its owner, for statements that use `repositoryTables`. */
export const repositoryColumns = `r.id, r.network_id, r.name, r.parent_id, r.template_id, r.state, r.description, r.homepage,
  r.private, r.default_branch, r.has_issues, r.has_projects, r.has_wiki, r.has_downloads, r.is_template, r.archived,
  r.allow_merge_commit, r.allow_squash_merge, r.allow_rebase_merge, r.delete_branch_on_merge, r.allow_auto_merge, r.size_kib,
  r.language, r.license, r.topics,
  r.open_issues, r.stargazers, r.subscribers, r.created_at, r.updated_at, r.pushed_at,
  (select count(*) from repositories f where f.parent_id = r.id and f.state = 'ready') as forks,
  ${accountFields.map((field) => `o.${field} as owner_${field}`).join(', ')}`;

export const repositoryTables = 'repositories r join accounts o on o.id = r.owner_id';

export function repositoryFromRow(row: RepositoryRow): Repository {
  return {
    id: row.id,
    networkId: row.network_id,
    owner: accountFromRow({
      id: row.owner_id,
      kind: row.owner_kind,
      login: row.owner_login,
      name: row.owner_name,
      email: row.owner_email,
      email_hidden: row.owner_email_hidden,
      company: row.owner_company,
      blog: row.owner_blog,
      location: row.owner_location,
      bio: row.owner_bio,
      site_admin: row.owner_site_admin,
      suspended_at: row.owner_suspended_at,
      time_zone: row.owner_time_zone,
      created_at: row.owner_created_at,
      updated_at: row.owner_updated_at,
    }),
    name: row.name,
    parentId: row.parent_id,
    templateId: row.template_id,
    state: row.state,
    description: row.description,
    homepage: row.homepage,
    private: row.private === 1,
    defaultBranch: row.default_branch,
    hasIssues: row.has_issues === 1,
    hasProjects: row.has_projects === 1,
    hasWiki: row.has_wiki === 1,
    hasDownloads: row.has_downloads === 1,
    isTemplate: row.is_template === 1,
    archived: row.archived === 1,
    allowMergeCommit: row.allow_merge_commit === 1,
    allowSquashMerge: row.allow_squash_merge === 1,
    allowRebaseMerge: row.allow_rebase_merge === 1,
    deleteBranchOnMerge: row.delete_branch_on_merge === 1,
    allowAutoMerge: row.allow_auto_merge === 1,
    sizeKibibytes: row.size_kib,
    language: row.language,
    license: row.license,
    topics: topicsFromJson(row.topics),
    openIssues: row.open_issues,
    forks: row.forks,
    stargazers: row.stargazers,
    subscribers: row.subscribers,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    pushedAt: row.pushed_at,
  };
}

/** Repositories by id, in one statement. */
export async function repositoriesById(
  sql: Sql,
  ids: Iterable<number>,
): Promise<Map<number, Repository>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const rows = await sql.all<RepositoryRow>(
    `select ${repositoryColumns} from ${repositoryTables} where r.id in (${placeholders(unique.length)})`,
    ...unique,
  );
  return new Map(rows.map((row) => [row.id, repositoryFromRow(row)]));
}

export async function repositoryByName(
  sql: Sql,
  ownerId: number,
  name: string,
): Promise<Repository | undefined> {
  const row = await sql.get<RepositoryRow>(
    `select ${repositoryColumns} from ${repositoryTables} where r.owner_id = $1 and r.name_key = $2`,
    ownerId,
    caseless(name),
  );
  return row && repositoryFromRow(row);
}

const updateColumns = [
  ['name', 'name'],
  ['description', 'description'],
  ['homepage', 'homepage'],
  ['private', 'private'],
  ['defaultBranch', 'default_branch'],
  ['hasIssues', 'has_issues'],
  ['hasProjects', 'has_projects'],
  ['hasWiki', 'has_wiki'],
  ['hasDownloads', 'has_downloads'],
  ['isTemplate', 'is_template'],
  ['archived', 'archived'],
  ['allowMergeCommit', 'allow_merge_commit'],
  ['allowSquashMerge', 'allow_squash_merge'],
  ['allowRebaseMerge', 'allow_rebase_merge'],
  ['deleteBranchOnMerge', 'delete_branch_on_merge'],
  ['allowAutoMerge', 'allow_auto_merge'],
] as const satisfies readonly (readonly [keyof RepositoryUpdate, string])[];

/** Changes the given settings. A new name creates a redirect from the old one; fails with a unique violation if it is taken. */
export async function updateRepository(
  sql: RepositoryWrite,
  repositoryId: number,
  update: RepositoryUpdate,
  now: number,
): Promise<void> {
  if (update.name !== undefined) await leaveRedirect(sql, repositoryId, update.name);
  const assignments: string[] = ['updated_at = $2'];
  const values: (string | number | null)[] = [];
  for (const [field, column] of updateColumns) {
    const value = update[field];
    if (value === undefined) continue;
    values.push(typeof value === 'boolean' ? Number(value) : value);
    assignments.push(`${column} = $${values.length + 2}`);
    if (field === 'defaultBranch') assignments.push(codeUnread);
  }
  await sql.run(
    `update repositories set ${assignments.join(', ')} where id = $1`,
    repositoryId,
    now,
    ...values,
  );
}

/** Language and licence are those of the default branch. */
const codeUnread = 'described_version = -1';

export async function setTopics(
  sql: RepositoryWrite,
  repositoryId: number,
  topics: readonly string[],
  now: number,
): Promise<void> {
  await sql.run(
    `update repositories set topics = $2, updated_at = $3 where id = $1`,
    repositoryId,
    JSON.stringify(topics),
    now,
  );
}

export async function markPushed(
  sql: RepositoryWrite,
  repositoryId: number,
  now: number,
): Promise<void> {
  await sql.run(
    `update repositories set pushed_at = $2, updated_at = $2 where id = $1`,
    repositoryId,
    now,
  );
}

export async function setDefaultBranch(
  sql: RepositoryWrite,
  repositoryId: number,
  branch: string,
): Promise<void> {
  await sql.run(
    `update repositories set default_branch = $2, ${codeUnread} where id = $1`,
    repositoryId,
    branch,
  );
}

export async function setRepositorySize(
  sql: RepositoryWrite,
  repositoryId: number,
  kibibytes: number,
): Promise<void> {
  await sql.run(`update repositories set size_kib = $2 where id = $1`, repositoryId, kibibytes);
}

/** The next number of the sequence that issues and pulls share. Locks the row until the transaction ends. */
export async function takeNumber(sql: RepositoryWrite, repositoryId: number): Promise<number> {
  const row = await sql.get<{ number: number }>(
    `update repositories set next_number = next_number + 1 where id = $1
     returning next_number - 1 as number`,
    repositoryId,
  );
  if (!row) throw new Error(`repository ${repositoryId} is gone`);
  return row.number;
}

export async function addOpenIssues(
  sql: RepositoryWrite,
  repositoryId: number,
  change: 1 | -1,
): Promise<void> {
  await sql.run(
    `update repositories set open_issues = open_issues + $2 where id = $1`,
    repositoryId,
    change,
  );
}

async function leaveRedirect(
  sql: RepositoryWrite,
  repositoryId: number,
  newName: string,
): Promise<void> {
  await sql.run(
    `insert into repository_redirects (owner_id, name_key, repository_id)
     select owner_id, name_key, id from repositories where id = $1 and name_key <> $2
     on conflict (owner_id, name_key) do update set repository_id = excluded.repository_id`,
    repositoryId,
    caseless(newName),
  );
  await sql.run(
    `delete from repository_redirects where repository_id = $1 and name_key = $2`,
    repositoryId,
    caseless(newName),
  );
  await sql.run(
    `update repositories set name_key = $2 where id = $1`,
    repositoryId,
    caseless(newName),
  );
}

export function topicsFromJson(json: string): string[] {
  const topics: unknown = JSON.parse(json);
  return Array.isArray(topics) ? topics.filter((topic) => typeof topic === 'string') : [];
}
