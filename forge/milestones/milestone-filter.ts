import Type from 'typebox';

import { stringEnum, readQuery } from '../http/schemas.ts';

/** The filter and order of a list of milestones. */
export interface MilestoneFilter {
  readonly state: 'open' | 'closed' | 'all';
  readonly sort: 'due_on' | 'completeness';
  readonly direction: 'asc' | 'desc';
}

const query = Type.Object({
  state: Type.Optional(stringEnum(['open', 'closed', 'all'])),
  sort: Type.Optional(stringEnum(['due_on', 'completeness'])),
  direction: Type.Optional(stringEnum(['asc', 'desc'])),
});

export function readMilestoneFilter(parameters: URLSearchParams): MilestoneFilter {
  const requested = readQuery(query, parameters, { resource: 'Milestone', refuse: ['state'] });
  return { state: 'open', sort: 'due_on', direction: 'asc', ...requested };
}
