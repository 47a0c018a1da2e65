import Type, { type Static } from 'typebox';

import { orNull } from '../http/schemas.ts';

/** A label is named, by itself or as the object that lists answer with. */
const label = Type.Union([Type.String(), Type.Object({ name: Type.String() })]);

export const labelList = Type.Array(label);

/** Members of requests about issues, in addition to the title. */
export const issueMembers = {
  body: Type.Optional(orNull(Type.String())),
  assignee: Type.Optional(orNull(Type.String())),
  assignees: Type.Optional(orNull(Type.Array(Type.String()))),
  milestone: Type.Optional(orNull(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
  labels: Type.Optional(orNull(labelList)),
};

/** What of it comes from the repository's stock; absent members stay as they are. */
export interface SetAttributesInput {
  readonly labels?: readonly string[];
  readonly assignees?: readonly string[];
  /** Its number; null takes the issue out of its milestone. */
  readonly milestone?: number | null;
}

const attributesBody = Type.Object(issueMembers);

/** `assignee` is the older word for a list of one, and its empty text for a list of none. */
export function readAttributes(body: Static<typeof attributesBody>): SetAttributesInput {
  const { assignee, assignees, labels, milestone } = body;
  const one = assignee === undefined ? undefined : assignee ? [assignee] : [];
  const people = assignees === undefined ? one : (assignees ?? []);
  return {
    ...(people === undefined ? {} : { assignees: people }),
    ...(labels === undefined ? {} : { labels: labelNames(labels ?? []) }),
    ...(milestone === undefined ? {} : { milestone }),
  };
}

export function labelNames(labels: Static<typeof labelList>): string[] {
  return labels.map((given) => (typeof given === 'string' ? given : given.name));
}
