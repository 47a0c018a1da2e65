import Type, { type Static } from 'typebox';

import { present } from '#platform/present.ts';

import { nullable } from '../http/schemas.ts';

/** A label, as a name or as an object as in lists. */
const label = Type.Union([Type.String(), Type.Object({ name: Type.String() })]);

export const labelList = Type.Array(label);

/** Fields of requests about issues, in addition to the title. */
export const issueProperties = {
  body: Type.Optional(nullable(Type.String())),
  assignee: Type.Optional(nullable(Type.String())),
  assignees: Type.Optional(nullable(Type.Array(Type.String()))),
  milestone: Type.Optional(
    nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  ),
  labels: Type.Optional(nullable(labelList)),
};

/** The attributes to set; absent fields stay unchanged. */
export interface SetAttributesInput {
  readonly labels?: readonly string[];
  readonly assignees?: readonly string[];
  /** The milestone's number; null removes the issue from its milestone. */
  readonly milestone?: number | null;
}

const attributesBody = Type.Object(issueProperties);

/** `assignee` is the legacy form of `assignees` for a single user; an empty string means none. */
export function readAttributes(body: Static<typeof attributesBody>): SetAttributesInput {
  const { assignee, assignees, labels, milestone } = body;
  const one = assignee === undefined ? undefined : assignee ? [assignee] : [];
  const people = assignees === undefined ? one : (assignees ?? []);
  return {
    ...present({ assignees: people }),
    ...(labels === undefined ? {} : { labels: labelNames(labels ?? []) }),
    ...present({ milestone }),
  };
}

export function labelNames(labels: Static<typeof labelList>): string[] {
  return labels.map((provided) => (typeof provided === 'string' ? provided : provided.name));
}
