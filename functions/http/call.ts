import type { Operation } from '#functions-contract/operation.ts';
import type { StructureShape, StructureOf } from '#functions-contract/shape.ts';

import type { SignedPrincipal } from '../signing/principal.ts';
import type { FunctionPorts } from './function-ports.ts';

/** What an operation knows about the request beside its input. */
export interface Call {
  readonly requestId: string;
  /** The trace that the caller is part of. */
  readonly traceHeader: string | undefined;
  readonly principal: SignedPrincipal;
  /** Tells of something that was let pass, in the audit log beside the call. */
  readonly warn: (warning: string) => void;
}

/** An operation and what carries it out. */
export interface ServedOperation {
  readonly operation: Operation;
  /** Given the input of that operation, parsed and within its constraints. */
  readonly handle: (input: object, call: Call) => Promise<object>;
}

/** What a route file exports of each operation. */
export type OperationRoute = (ports: FunctionPorts) => ServedOperation;

/** Ties a handler to the types of its operation. */
export function serve<I extends StructureShape, O extends StructureShape>(
  operation: Operation<I, O>,
  handle: (input: StructureOf<I>, call: Call) => Promise<StructureOf<O>>,
): ServedOperation {
  return {
    operation,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readInput() made it by this very shape
    handle: (input, call) => handle(input as StructureOf<I>, call),
  };
}
