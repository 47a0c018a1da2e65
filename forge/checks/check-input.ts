import Type, { type Static } from 'typebox';

import { type FieldError, invalid } from '../errors/api-error.ts';
import { stringEnum, nullable } from '../http/schemas.ts';
import {
  type CheckAction,
  type CheckAnnotation,
  type CheckConclusion,
  checkConclusions,
  type CheckOutput,
  type CheckState,
  type CheckStatus,
  checkStatuses,
} from '../model/check-run.ts';

/** Name of a check run. */
const nameCharactersMax = 255;
/** `details_url` of a check run. */
const urlCharactersMax = 4096;
/** Summary and text of a check run; message and details of an annotation, as on GitHub. */
const textCharactersMax = 65_535;
/** Annotations of a request; a check run collects those of several. */
const annotationsMax = 50;
/** Actions of a check run. */
const actionsMax = 3;
/** Path of an annotation. */
const pathCharactersMax = 4096;

const text = Type.String({ maxLength: textCharactersMax });

const annotation = Type.Object({
  path: Type.String({ maxLength: pathCharactersMax }),
  start_line: Type.Integer({ minimum: 0, maximum: 2 ** 31 }),
  end_line: Type.Integer({ minimum: 0, maximum: 2 ** 31 }),
  start_column: Type.Optional(nullable(Type.Integer())),
  end_column: Type.Optional(nullable(Type.Integer())),
  annotation_level: stringEnum(['notice', 'warning', 'failure']),
  message: text,
  title: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
  raw_details: Type.Optional(nullable(text)),
});

const output = Type.Object({
  title: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
  summary: Type.Optional(nullable(text)),
  text: Type.Optional(nullable(text)),
  annotations: Type.Optional(Type.Array(annotation, { maxItems: annotationsMax })),
});

const action = Type.Object({
  label: Type.String({ maxLength: 20 }),
  description: Type.String({ maxLength: 40 }),
  identifier: Type.String({ maxLength: 20 }),
});

const fields = {
  details_url: Type.Optional(nullable(Type.String({ maxLength: urlCharactersMax }))),
  external_id: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
  status: Type.Optional(stringEnum(checkStatuses)),
  started_at: Type.Optional(nullable(Type.String())),
  conclusion: Type.Optional(nullable(stringEnum(checkConclusions))),
  completed_at: Type.Optional(nullable(Type.String())),
  output: Type.Optional(nullable(output)),
  actions: Type.Optional(Type.Array(action, { maxItems: actionsMax })),
};

export const createCheckRunBody = Type.Object({
  name: Type.String({ maxLength: nameCharactersMax }),
  head_sha: Type.String(),
  ...fields,
});

export const updateCheckRunBody = Type.Object({
  name: Type.Optional(Type.String({ maxLength: nameCharactersMax })),
  ...fields,
});

/** What a request says of a check run; undefined: it says nothing of it. */
export interface CheckRunInput {
  readonly name: string | undefined;
  readonly detailsUrl: string | null | undefined;
  readonly externalId: string | null | undefined;
  readonly state: CheckState | undefined;
  readonly startedAt: number | undefined;
  readonly completedAt: number | undefined;
  readonly output: CheckOutput | undefined;
  /** Added to those that there are. */
  readonly annotations: readonly CheckAnnotation[];
  readonly actions: readonly CheckAction[] | undefined;
}

/** Reads a check run, or refuses it with all of its errors. */
export function readCheckRunInput(body: Static<typeof updateCheckRunBody>): CheckRunInput {
  const startedAt = timeOf(body.started_at);
  const completedAt = timeOf(body.completed_at);
  const { status, conclusion = null } = body;
  const problems = [
    ...(body.name?.trim() === '' ? [errorIn('name', 'must not be blank')] : []),
    ...(startedAt === 'invalid' ? [errorIn('started_at', 'is not a time in ISO 8601')] : []),
    ...(completedAt === 'invalid' ? [errorIn('completed_at', 'is not a time in ISO 8601')] : []),
    ...urlProblems(body.details_url ?? null),
    ...(status === 'completed' && conclusion === null
      ? [errorIn('conclusion', 'is required for a completed check run')]
      : []),
  ];
  if (startedAt === 'invalid' || completedAt === 'invalid' || problems.length > 0) {
    return invalid(...problems);
  }
  return {
    name: body.name,
    detailsUrl: body.details_url,
    externalId: body.external_id,
    state: stateOf(status, conclusion),
    startedAt,
    completedAt,
    output: body.output
      ? {
          title: body.output.title ?? null,
          summary: body.output.summary ?? null,
          text: body.output.text ?? null,
        }
      : undefined,
    annotations: (body.output?.annotations ?? []).map(annotationOf),
    actions: body.actions,
  };
}

/** A conclusion completes the check run, whatever the status says. */
function stateOf(
  status: CheckStatus | undefined,
  conclusion: CheckConclusion | null,
): CheckState | undefined {
  if (conclusion !== null) return { status: 'completed', conclusion };
  if (status === undefined || status === 'completed') return undefined;
  return { status, conclusion: null };
}

function annotationOf(given: Static<typeof annotation>): CheckAnnotation {
  return {
    path: given.path,
    startLine: given.start_line,
    endLine: given.end_line,
    startColumn: given.start_column ?? null,
    endColumn: given.end_column ?? null,
    level: given.annotation_level,
    message: given.message,
    title: given.title ?? null,
    rawDetails: given.raw_details ?? null,
  };
}

function timeOf(given: string | null | undefined): number | 'invalid' | undefined {
  if (given === null || given === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\dT/.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(time) || time < 0 ? 'invalid' : time;
}

/** Pages may link to the URL, and other schemes, such as `javascript:`, could run a script there. */
function urlProblems(url: string | null): FieldError[] {
  if (url === null || url === '') return [];
  const good = /^https?:\/\//i.test(url) && URL.canParse(url);
  return good ? [] : [errorIn('details_url', 'must be an http or https URL')];
}

function errorIn(field: string, problem: string): FieldError {
  return { resource: 'CheckRun', field, code: 'custom', message: `${field} ${problem}` };
}
