import type { Static } from 'typebox';
import Type from 'typebox';

import { stringEnum, readQuery } from '../http/schemas.ts';

/** Which pulls a list shows, and in which order (docs/specification/forge.md 12.1). */
export interface PullFilter {
  readonly state: 'open' | 'closed' | 'all';
  readonly base: string | undefined;
  readonly head: { readonly owner: string; readonly ref: string } | undefined;
  readonly sort: 'created' | 'updated' | 'popularity' | 'long-running';
  readonly direction: 'asc' | 'desc';
  /** Only pulls updated at this time or later: `sort=long-running` lists pulls that are still active. */
  readonly updatedAfter: number | undefined;
}

/** Every pull of a repository, newest first. */
export const everyPull: PullFilter = {
  state: 'all',
  base: undefined,
  head: undefined,
  sort: 'created',
  direction: 'desc',
  updatedAfter: undefined,
};

const query = Type.Object({
  state: Type.Optional(stringEnum(['open', 'closed', 'all'])),
  head: Type.Optional(Type.String()),
  base: Type.Optional(Type.String()),
  sort: Type.Optional(stringEnum(['created', 'updated', 'popularity', 'long-running'])),
  direction: Type.Optional(stringEnum(['asc', 'desc'])),
});

/** Time since the last update of pulls that are still worked on (`sort=long-running`; spec). */
const monthMilliseconds = 30 * 24 * 3_600_000;

export function readPullFilter(parameters: URLSearchParams, now: number): PullFilter {
  const values = readQuery(query, parameters, { resource: 'PullRequest', refuse: ['state'] });
  const sort = values.sort ?? 'created';
  return {
    state: values.state ?? 'open',
    base: values.base,
    head: readHead(values),
    sort,
    // Descending by creation, ascending by anything else (docs/specification/forge.md 12.1).
    direction: values.direction ?? (sort === 'created' ? 'desc' : 'asc'),
    updatedAfter: sort === 'long-running' ? now - monthMilliseconds : undefined,
  };
}

/** A value without an owner is ignored: everything is listed. */
function readHead(values: Static<typeof query>): PullFilter['head'] {
  const match = /^([^:]+):(.+)$/.exec(values.head ?? '');
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { owner: match[1], ref: match[2] };
}
