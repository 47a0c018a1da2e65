import type { ASTNode } from 'graphql';

import type { Json } from '../../json/json-values.ts';

/** Something wrong with a document as a whole: nothing of it is executed, and the response has no `data`. */
export interface DocumentProblem {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  /** From the operation or fragment down to the field, as the document writes them. */
  readonly path?: readonly string[];
  readonly type?: string;
  readonly extensions?: { readonly [field: string]: Json };
}

export class DocumentError extends Error {
  readonly problems: readonly DocumentProblem[];

  constructor(...problems: readonly DocumentProblem[]) {
    super(problems[0]?.message);
    this.name = 'DocumentError';
    this.problems = problems;
  }
}

/** Where a node begins, as `locations` has it. */
export function locationOf(node: ASTNode): { line: number; column: number } {
  const start = node.loc?.startToken;
  return { line: start?.line ?? 1, column: start?.column ?? 1 };
}
