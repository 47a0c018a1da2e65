import Type, { type Static } from 'typebox';

import { present } from '#platform/present.ts';

import type { RequiredUnless } from '../http/json-body.ts';
import { stringEnum, nullable } from '../http/schemas.ts';
import type { UserCaller } from '../model/caller.ts';
import type { PullSettings } from '../model/pull.ts';
import { checkPullText } from '../model/pull-text.ts';
import type { Repository } from '../model/repository.ts';

/** The body of a request that creates a pull. */
export const createPullBody = Type.Object(
  {
    base: Type.String(),
    head: Type.String(),
    title: Type.Optional(nullable(Type.String())),
    body: Type.Optional(nullable(Type.String())),
    issue: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
    head_repo: Type.Optional(nullable(Type.String())),
    maintainer_can_modify: Type.Optional(nullable(Type.Boolean())),
    draft: Type.Optional(nullable(Type.Boolean())),
  },
  // A pull made of an issue has the issue's title.
  { requiredUnless: { title: { given: 'issue', resource: 'Issue' } } satisfies RequiredUnless },
);

/** Its title is validated, its refs are not. */
export interface CreatePullInput {
  readonly repository: Repository;
  readonly caller: UserCaller;
  /** A title and body, or an issue to convert into a pull. */
  readonly source:
    | { readonly title: string; readonly body: string | null }
    | { readonly issueNumber: number };
  readonly base: string;
  readonly head: string;
  readonly headRepository: string | undefined;
  readonly settings: Partial<PullSettings>;
  readonly now: number;
}

export function readCreatePull(
  request: {
    readonly body: Static<typeof createPullBody>;
    readonly caller: UserCaller;
    readonly now: number;
  },
  repository: Repository,
): CreatePullInput {
  const { body, caller, now } = request;
  return {
    repository,
    caller,
    source: readSource(body),
    base: body.base,
    head: body.head,
    headRepository: body.head_repo ?? undefined,
    settings: readSettings(body),
    now,
  };
}

/** Fields that are absent set nothing; null neither, where a setting has no such value. */
function readSettings(body: Partial<Static<typeof createPullBody>>): Partial<PullSettings> {
  return present({
    draft: body.draft ?? undefined,
    maintainerCanModify: body.maintainer_can_modify ?? undefined,
  });
}

function readSource(body: Static<typeof createPullBody>): CreatePullInput['source'] {
  if (typeof body.issue === 'number') return { issueNumber: body.issue };
  const source = { title: body.title ?? '', body: body.body ?? null };
  checkPullText(source);
  return source;
}

/** The body of a request that updates a pull. */
export const editPullBody = Type.Object({
  title: Type.Optional(Type.String()),
  body: Type.Optional(nullable(Type.String())),
  state: Type.Optional(stringEnum(['open', 'closed'])),
  base: Type.Optional(Type.String()),
  maintainer_can_modify: Type.Optional(Type.Boolean()),
});

/** Absent fields stay unchanged. */
export interface EditPullInput {
  readonly title: string | undefined;
  readonly body: string | null | undefined;
  readonly state: 'open' | 'closed' | undefined;
  readonly base: string | undefined;
  readonly settings: Partial<PullSettings>;
}

export function readEditPull(body: Static<typeof editPullBody>): EditPullInput {
  checkPullText(body);
  return {
    title: body.title,
    body: body.body,
    state: body.state,
    base: body.base,
    settings: readSettings(body),
  };
}
