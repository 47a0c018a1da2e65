import Type, { type Static } from 'typebox';

import { invalid } from '../errors/api-error.ts';
import { stringEnum, readQuery } from '../http/schemas.ts';

/** The filter and order of a list of issues. `none` and `any` select issues without and with an attribute. */
export interface IssueFilter {
  /** Both without. */
  readonly only?: 'issues' | 'pulls' | undefined;
  readonly state: 'open' | 'closed' | 'all';
  /** Issues must have all of these. */
  readonly labels: readonly string[];
  /** Issues must have one of these. */
  readonly anyLabel?: readonly string[] | undefined;
  readonly assignee: 'none' | 'any' | { readonly login: string } | undefined;
  readonly creator: string | undefined;
  readonly milestone: 'none' | 'any' | { readonly number: number } | undefined;
  readonly updatedSince: number | undefined;
  readonly sort: 'created' | 'updated' | 'comments';
  readonly direction: 'asc' | 'desc';
}

const query = Type.Object({
  state: Type.Optional(stringEnum(['open', 'closed', 'all'])),
  labels: Type.Optional(Type.String()),
  assignee: Type.Optional(Type.String()),
  creator: Type.Optional(Type.String()),
  milestone: Type.Optional(Type.String()),
  since: Type.Optional(Type.String()),
  sort: Type.Optional(stringEnum(['created', 'updated', 'comments'])),
  direction: Type.Optional(stringEnum(['asc', 'desc'])),
});

export function readIssueFilter(parameters: URLSearchParams): IssueFilter {
  const requested = readQuery(query, parameters, { resource: 'Issue', refuse: ['state'] });
  const since = Date.parse(requested.since ?? '');
  return {
    state: requested.state ?? 'open',
    labels: (requested.labels ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    assignee: readAssignee(requested),
    creator: requested.creator,
    milestone: readMilestone(requested),
    updatedSince: Number.isSafeInteger(since) ? since : undefined,
    sort: requested.sort ?? 'created',
    direction: requested.direction ?? 'desc',
  };
}

function readAssignee({ assignee }: Static<typeof query>): IssueFilter['assignee'] {
  if (assignee === undefined || assignee === '') return undefined;
  if (assignee === 'none') return 'none';
  return assignee === '*' ? 'any' : { login: assignee };
}

function readMilestone({ milestone }: Static<typeof query>): IssueFilter['milestone'] {
  if (milestone === undefined || milestone === '') return undefined;
  if (milestone === 'none') return 'none';
  if (milestone === '*') return 'any';
  if (/^\d{1,15}$/.test(milestone)) return { number: Number(milestone) };
  return invalid({ value: milestone, resource: 'Issue', field: 'milestone', code: 'invalid' });
}
