import Type, { type Static } from 'typebox';

import { type FieldError, invalid } from '../errors/api-error.ts';
import { nullable } from '../http/schemas.ts';
import {
  contextDefault,
  contextLengthMax,
  descriptionLengthMax,
  statusStates,
  type StatusInput,
  targetUrlLengthMax,
} from '../model/commit-status.ts';

const optionalText = Type.Optional(nullable(Type.String()));

/** `state` is required, but checked later, because GitHub has a special message for a missing state. */
export const statusBody = Type.Object({
  state: optionalText,
  target_url: optionalText,
  description: optionalText,
  context: optionalText,
});

/** Reads a status, or refuses it with all of its errors. Blank fields are null (docs/specification/forge.md 2.1). */
export function readStatusInput(body: Static<typeof statusBody>): StatusInput {
  const state = statusStates.find((known) => known === body.state);
  const targetUrl = body.target_url || null;
  const description = body.description || null;
  const context = body.context || contextDefault;
  const errors = [
    ...stateErrors(body.state, state),
    ...errorIn('target_url', urlProblem(targetUrl)),
    ...errorIn('description', lengthProblem(description, descriptionLengthMax)),
    ...errorIn('context', lengthProblem(context, contextLengthMax)),
  ];
  if (state === undefined || errors.length > 0) return invalid(...errors);
  return { state, targetUrl, description, context };
}

function stateErrors(
  requested: string | null | undefined,
  known: string | undefined,
): FieldError[] {
  const code = requested === undefined || requested === null ? 'missing_field' : 'custom';
  const errors = errorIn('state', known === undefined ? 'is not included in the list' : undefined);
  return errors.map((error) => ({ ...error, code }));
}

function errorIn(field: string, problem: string | undefined): FieldError[] {
  if (problem === undefined) return [];
  return [{ resource: 'Status', code: 'custom', field, message: `${field} ${problem}` }];
}

/** Pages may link to the URL, and other schemes, such as `javascript:`, could run a script there. */
export function urlProblem(url: string | null): string | undefined {
  if (url === null) return undefined;
  if (!/^https?:\/\//i.test(url)) return 'must use http(s) scheme';
  if (!URL.canParse(url)) return 'is not a valid URL';
  return lengthProblem(url, targetUrlLengthMax);
}

export function lengthProblem(text: string | null, max: number): string | undefined {
  // `length` counts a character outside of the Basic Multilingual Plane twice.
  if (text === null || text.length <= max || Array.from(text).length <= max) return undefined;
  return `is too long (maximum is ${max} characters)`;
}
