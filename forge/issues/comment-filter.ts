import Type from 'typebox';

import { stringEnum, readQuery } from '../http/schemas.ts';

/** The filter and order of a list of comments. */
export interface CommentFilter {
  readonly updatedSince: number;
  readonly sort: 'created' | 'updated';
  readonly direction: 'asc' | 'desc';
}

const sinceQuery = Type.Object({ since: Type.Optional(Type.String()) });

const orderQuery = Type.Object({
  sort: Type.Optional(stringEnum(['created', 'updated'])),
  direction: Type.Optional(stringEnum(['asc', 'desc'])),
});

/** The comments of an issue are in order of creation. */
export function readCommentFilter(parameters: URLSearchParams): CommentFilter {
  const { since } = readQuery(sinceQuery, parameters, { resource: 'IssueComment' });
  const updatedSince = Date.parse(since ?? '');
  return {
    updatedSince: Number.isSafeInteger(updatedSince) ? updatedSince : 0,
    sort: 'created',
    direction: 'asc',
  };
}

/** `direction` is ignored without `sort`. */
export function readRepositoryCommentFilter(parameters: URLSearchParams): CommentFilter {
  const { sort, direction } = readQuery(orderQuery, parameters, { resource: 'IssueComment' });
  return {
    ...readCommentFilter(parameters),
    ...(sort === undefined ? {} : { sort, direction: direction ?? 'desc' }),
  };
}
