import { renderRefusal } from './error-responses.ts';
import type { FieldError, Refusal } from './api-error.ts';

/** A refusal for people at a command line: what the fields lack, else the message that clients get. */
export function refusalSentence(refusal: Refusal): string {
  const { message, errors = [] } = renderRefusal(refusal);
  return errors.length === 0 ? message : errors.map(errorSentence).join('; ');
}

function errorSentence(error: FieldError): string {
  if (error.message !== undefined) return error.message;
  return `${[error.resource, error.field].filter(Boolean).join('.')}: ${error.code}`;
}
