import { present } from '#platform/present.ts';

import type { Json } from '../json/json-values.ts';
import type { SourceLocation } from './document.ts';

/** The kinds of `errors[].type` that a field of a sound document can end in. */
export type FieldErrorType = 'NOT_FOUND' | 'FORBIDDEN' | 'UNPROCESSABLE';

/** One entry of `errors`. Without a type the document itself is at fault, and nothing of it was done. */
export interface GraphqlProblem {
  readonly message: string;
  readonly location: SourceLocation | undefined;
  readonly type?: FieldErrorType;
  /** The response keys from the root down to what failed. */
  readonly path?: readonly string[];
}

/** The document cannot be run: it does not parse, or asks for what this server does not have. */
export class DocumentError extends Error {
  readonly problem: GraphqlProblem;

  constructor(message: string, location?: SourceLocation) {
    super(message);
    this.name = 'DocumentError';
    this.problem = { message, location };
  }
}

export function representProblem(problem: GraphqlProblem): { [member: string]: Json } {
  const { type, path, location, message } = problem;
  return {
    ...present({ type, path }),
    ...(location ? { locations: [{ line: location.line, column: location.column }] } : {}),
    message,
  };
}
