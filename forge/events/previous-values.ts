import type { PreviousValues } from '../model/domain-event.ts';

/** The old values of those members that an edit has changed; undefined if none has. A blank value is ''. */
export function previousValues<Member extends string>(
  before: Readonly<Record<Member, string | null>>,
  after: Readonly<Record<Member, string | null>>,
  members: readonly Member[],
): PreviousValues | undefined {
  const changed = members.filter((member) => before[member] !== after[member]);
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((member) => [member, { from: before[member] ?? '' }]));
}
