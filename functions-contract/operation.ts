import { structure, type StructureShape } from './shape.ts';

/** Body of an operation without a limit of its own. */
export const requestBytesDefault = 1024 * 1024;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One operation of the service, whole. */
export interface Operation<
  I extends StructureShape = StructureShape,
  O extends StructureShape = StructureShape,
> {
  /** `UpdateFunctionConfiguration`; the names of the command and of the permission are derived from it. */
  readonly name: string;
  readonly description: string;
  readonly method: Method;
  /** `/2015-03-31/functions/{FunctionName}/configuration`; a name in braces is a member of the input. */
  readonly path: string;
  /** HTTP status of success. */
  readonly status: number;
  readonly input: I;
  readonly output: O;
  /** The largest body in bytes; undefined: `requestBytesDefault`. */
  readonly requestBytesMax?: number;
  readonly pages?: Pages;
}

/** How the lists of an operation are paged: names of members. */
export interface Pages {
  readonly token: string;
  readonly nextToken: string;
  readonly limit: string;
  readonly items: string;
}

/** Keeps the types of both sides. */
export const operation = <const I extends StructureShape, const O extends StructureShape>(
  declaration: Operation<I, O>,
): Operation<I, O> => declaration;

/** The output of operations that answer with a status alone. */
export const nothing = structure({});
