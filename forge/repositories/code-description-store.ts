import type { Sql } from '#platform/database/database.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';

/** What the code of a default branch says of itself. */
export interface CodeDescription {
  /** The language with the most bytes. */
  readonly language: string | null;
  /** The key of a licence, or `other`; null where there is no file with one. */
  readonly license: string | null;
}

export interface UndescribedRepository extends CodeDescription {
  readonly id: number;
  readonly defaultBranch: string;
  readonly refsVersion: number;
}

/** Repositories whose refs have changed since their code was described, after the given id. */
export async function undescribedRepositories(
  sql: Sql,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<UndescribedRepository[]> {
  const rows = await sql.all<{
    id: number;
    default_branch: string;
    refs_version: number;
    language: string | null;
    license: string | null;
  }>(
    `select id, default_branch, refs_version, language, license from repositories
     where described_version <> refs_version and state = 'ready' and id > $1 order by id limit $2`,
    after,
    limit,
  );
  return rows.map(({ id, default_branch: defaultBranch, refs_version, language, license }) => ({
    id,
    defaultBranch,
    refsVersion: refs_version,
    language,
    license,
  }));
}

/** The code was read at this version of the refs and of the default branch. */
export async function markDescribed(sql: Sql, repository: UndescribedRepository): Promise<void> {
  await sql.run(
    `update repositories set described_version = $2 where id = $1 and default_branch = $3`,
    repository.id,
    repository.refsVersion,
    repository.defaultBranch,
  );
}

/** What the page of a repository shows of its code. */
export interface CodeStatistics {
  /** By name: the bytes, the most first. */
  readonly languages: ReadonlyMap<string, number>;
  /** null: counting them takes too long. */
  readonly contributors: number | null;
}

/** As read after the last push that has been described; no answer of the API shows it. */
export async function writeCodeStatistics(
  sql: Sql,
  repositoryId: number,
  { languages, contributors }: CodeStatistics,
): Promise<void> {
  await sql.run(
    `insert into code_statistics (repository_id, languages, contributors) values ($1, $2, $3)
     on conflict (repository_id) do update set languages = excluded.languages, contributors = excluded.contributors`,
    repositoryId,
    JSON.stringify(Object.fromEntries(languages)),
    contributors,
  );
}

export async function codeStatistics(
  sql: Sql,
  repositoryId: number,
): Promise<CodeStatistics | undefined> {
  const row = await sql.get<{ languages: string; contributors: number | null }>(
    `select languages, contributors from code_statistics where repository_id = $1`,
    repositoryId,
  );
  if (!row) return undefined;
  const languages: Readonly<Record<string, number>> = JSON.parse(row.languages);
  return { languages: new Map(Object.entries(languages)), contributors: row.contributors };
}

export async function setDescription(
  sql: RepositoryWrite,
  repositoryId: number,
  { language, license }: CodeDescription,
): Promise<void> {
  await sql.run(
    `update repositories set language = $2, license = $3 where id = $1`,
    repositoryId,
    language,
    license,
  );
}
