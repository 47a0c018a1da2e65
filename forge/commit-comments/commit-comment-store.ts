import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import type { CommitComment } from '../model/commit-comment.ts';

interface CommentRow {
  id: number;
  repository_id: number;
  author_id: number;
  commit_sha: ObjectId;
  body: string;
  path: string | null;
  position: number | null;
  line: number | null;
  created_at: number;
  updated_at: number;
}

const columns = `c.id, c.repository_id, c.author_id, c.commit_sha, c.body, c.path, c.position, c.line,
  c.created_at, c.updated_at`;

export async function findCommitComment(
  sql: Sql,
  repositoryId: number,
  id: number,
): Promise<CommitComment | undefined> {
  const row = await sql.get<CommentRow>(
    `select ${columns} from commit_comments c where c.repository_id = $1 and c.id = $2`,
    repositoryId,
    id,
  );
  return row && commentFromRow(row);
}

/** Several by id, in one statement. */
export async function commitCommentsById(
  sql: Sql,
  ids: readonly number[],
): Promise<CommitComment[]> {
  if (ids.length === 0) return [];
  const rows = await sql.all<CommentRow>(
    `select ${columns} from commit_comments c where c.id in (${placeholders(ids.length)})`,
    ...ids,
  );
  return rows.map(commentFromRow);
}

/** Those of one commit, or of all of a repository, in order of creation. */
export async function listCommitComments(
  sql: Sql,
  repositoryId: number,
  sha: ObjectId | undefined,
  page: PageBounds,
): Promise<{ comments: CommitComment[]; total: number }> {
  const list = {
    columns,
    from: `commit_comments c where c.repository_id = $1 and ($2 = '' or c.commit_sha = $2)`,
    values: [repositoryId, sha ?? ''],
    order: 'c.id',
  };
  const { rows, total } = await selectPage<CommentRow>(sql, list, page);
  return { comments: rows.map(commentFromRow), total };
}

export async function insertCommitComment(
  sql: RepositoryWrite,
  comment: Omit<CommitComment, 'id' | 'updatedAt'>,
): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into commit_comments
       (repository_id, author_id, commit_sha, body, path, position, line, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8) returning id`,
    comment.repositoryId,
    comment.authorId,
    comment.sha,
    comment.body,
    comment.path,
    comment.position,
    comment.line,
    comment.createdAt,
  );
  if (!row) throw new Error('insert into commit_comments returned no row');
  return row.id;
}

export async function editCommitComment(
  sql: RepositoryWrite,
  id: number,
  body: string,
  now: number,
): Promise<void> {
  await sql.run(
    `update commit_comments set body = $2, updated_at = $3 where id = $1`,
    id,
    body,
    now,
  );
}

export async function deleteCommitComment(sql: RepositoryWrite, id: number): Promise<void> {
  await sql.run(`delete from commit_comments where id = $1`, id);
}

function commentFromRow(row: CommentRow): CommitComment {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    authorId: row.author_id,
    sha: row.commit_sha,
    body: row.body,
    path: row.path,
    position: row.position,
    line: row.line,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
