import { type PageBounds, selectPage } from '#platform/database/page-store.ts';
import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { Release } from '../model/release.ts';

interface ReleaseRow {
  id: number;
  repository_id: number;
  author_id: number;
  tag_name: string;
  target_commitish: string;
  name: string | null;
  body: string | null;
  draft: number;
  prerelease: number;
  latest_at: number | null;
  created_at: number;
  published_at: number | null;
  updated_at: number;
}

const columns = `id, repository_id, author_id, tag_name, target_commitish, name, body, draft, prerelease, latest_at,
  created_at, published_at, updated_at`;

/** Drafts first, then by the time of the commit, the latest first. */
export async function listReleases(
  sql: Sql,
  repositoryId: number,
  withDrafts: boolean,
  page: PageBounds,
): Promise<{ readonly releases: readonly Release[]; readonly total: number }> {
  const from = `releases where repository_id = $1 and (draft = 0 or $2 = 1)`;
  const values = [repositoryId, withDrafts ? 1 : 0];
  const order = 'draft desc, created_at desc, id desc';
  const { rows, total } = await selectPage<ReleaseRow>(sql, { columns, from, values, order }, page);
  return { releases: rows.map(releaseFromRow), total };
}

export async function findRelease(
  sql: Sql,
  repositoryId: number,
  id: number,
): Promise<Release | undefined> {
  const row = await sql.get<ReleaseRow>(
    `select ${columns} from releases where repository_id = $1 and id = $2`,
    repositoryId,
    id,
  );
  return row && releaseFromRow(row);
}

/** Several releases of any repositories, in one statement. */
export async function releasesById(sql: Sql, ids: Iterable<number>): Promise<Release[]> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return [];
  const rows = await sql.all<ReleaseRow>(
    `select ${columns} from releases where id in (${placeholders(unique.length)}) order by id`,
    ...unique,
  );
  return rows.map(releaseFromRow);
}

/** The published release of a tag. */
export async function findReleaseByTag(
  sql: Sql,
  repositoryId: number,
  tagName: string,
): Promise<Release | undefined> {
  const row = await sql.get<ReleaseRow>(
    `select ${columns} from releases where repository_id = $1 and tag_name = $2 and draft = 0`,
    repositoryId,
    tagName,
  );
  return row && releaseFromRow(row);
}

/** The latest draft for a tag. */
export async function findDraftByTag(
  sql: Sql,
  repositoryId: number,
  tagName: string,
): Promise<Release | undefined> {
  const row = await sql.get<ReleaseRow>(
    `select ${columns} from releases where repository_id = $1 and tag_name = $2 and draft = 1
     order by id desc limit 1`,
    repositoryId,
    tagName,
  );
  return row && releaseFromRow(row);
}

/** The one that was last made the latest; without any, that of the latest commit. Prereleases are never the latest. */
export async function latestRelease(sql: Sql, repositoryId: number): Promise<Release | undefined> {
  const row = await sql.get<ReleaseRow>(
    `select ${columns} from releases where repository_id = $1 and draft = 0 and prerelease = 0
     order by coalesce(latest_at, 0) desc, created_at desc, id desc limit 1`,
    repositoryId,
  );
  return row && releaseFromRow(row);
}

export type NewRelease = Omit<Release, 'id'>;

/** Returns its id. Fails with a unique violation if the tag has a published release. */
export async function insertRelease(sql: Sql, release: NewRelease): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into releases
       (repository_id, author_id, tag_name, target_commitish, name, body, draft, prerelease, latest_at, created_at,
        published_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id`,
    release.repositoryId,
    release.authorId,
    ...valuesOf(release),
  );
  if (!row) throw new Error('the release was not inserted');
  return row.id;
}

/** Fails with a unique violation if the tag has another published release. */
export async function updateRelease(sql: Sql, release: Release): Promise<void> {
  await sql.run(
    `update releases set tag_name = $2, target_commitish = $3, name = $4, body = $5, draft = $6, prerelease = $7,
       latest_at = $8, created_at = $9, published_at = $10, updated_at = $11
     where id = $1`,
    release.id,
    ...valuesOf(release),
  );
}

/** False: it was deleted already. */
export async function deleteRelease(sql: Sql, id: number): Promise<boolean> {
  return (await sql.run(`delete from releases where id = $1`, id)) > 0;
}

function valuesOf(release: NewRelease): (string | number | null)[] {
  return [
    release.tagName,
    release.targetCommitish,
    release.name,
    release.body,
    release.draft ? 1 : 0,
    release.prerelease ? 1 : 0,
    release.latestAt,
    release.createdAt,
    release.publishedAt,
    release.updatedAt,
  ];
}

function releaseFromRow(row: ReleaseRow): Release {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    authorId: row.author_id,
    tagName: row.tag_name,
    targetCommitish: row.target_commitish,
    name: row.name,
    body: row.body,
    draft: row.draft === 1,
    prerelease: row.prerelease === 1,
    latestAt: row.latest_at,
    createdAt: row.created_at,
    publishedAt: row.published_at,
    updatedAt: row.updated_at,
  };
}
