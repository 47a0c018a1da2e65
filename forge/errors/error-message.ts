import { renderRefusal } from './error-responses.ts';
import type { FieldError, Refusal } from './api-error.ts';

/** The message of a refusal for the command line: the problems of fields, or the message of the API. */
export function refusalSentence(refusal: Refusal): string {
  const { message, errors = [] } = renderRefusal(refusal);
  return errors.length === 0 ? message : errors.map(errorSentence).join('; ');
}

function errorSentence(error: FieldError): string {
  if (error.message !== undefined) return error.message;
  return `${[error.resource, error.field].filter(Boolean).join('.')}: ${error.code}`;
}
