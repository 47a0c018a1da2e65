import type { Sql } from '#platform/database/database.ts';
import { present } from '#platform/present.ts';

import { findAccount } from '../accounts/account-store.ts';
import { commitEmails } from '../accounts/email-store.ts';
import { invalid } from '../errors/api-error.ts';
import { parseTreePath, type TreePath } from '../git/names.ts';
import { parseTimestamp } from '../repositories/commit-people.ts';
import type { LogOptions } from '../git/git.ts';

/** Which commits of a history a list shows. */
export type CommitFilter = Pick<LogOptions, 'path' | 'authors' | 'since' | 'until'>;

/** The filter that the query asks for, or undefined when it cannot let any commit through. */
export async function readCommitFilter(
  sql: Sql,
  query: URLSearchParams,
): Promise<CommitFilter | undefined> {
  const since = readTimestamp(query, 'since');
  const until = readTimestamp(query, 'until');
  const path = readPath(query.get('path'));
  const authors = await readAuthor(sql, query.get('author'));
  if (path === 'nowhere' || authors === 'no account') return undefined;
  return {
    ...present({ path, authors, since, until }),
  };
}

function readTimestamp(query: URLSearchParams, field: 'since' | 'until'): number | undefined {
  const value = query.get(field);
  if (value === null || value === '') return undefined;
  // A `+` in a query is a space once it is decoded, and clients do not always encode the one of a zone.
  const named = parseTimestamp(value.replace(' ', '+'));
  // Left out it would show commits that the client did not ask for.
  if (!named) return invalid({ value, resource: 'Commit', field, code: 'invalid' });
  return named.seconds;
}

function readPath(text: string | null): TreePath | 'nowhere' | undefined {
  const path = (text ?? '').replaceAll(/^\/+|\/+$/g, '');
  return path === '' ? undefined : (parseTreePath(path) ?? 'nowhere');
}

/** An e-mail address, or the login of an account whose addresses are in its commits. */
async function readAuthor(
  sql: Sql,
  text: string | null,
): Promise<readonly string[] | 'no account' | undefined> {
  const author = (text ?? '').trim();
  if (author === '') return undefined;
  if (author.includes('@')) return [`<${author}>`];
  const account = await findAccount(sql, author);
  if (account?.kind !== 'user') return 'no account';
  return (await commitEmails(sql, account)).map((email) => `<${email}>`);
}
