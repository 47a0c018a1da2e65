import type { createFunctionUrlConfig } from '#functions-contract/operations/function-urls.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

type Given = StructureOf<(typeof createFunctionUrlConfig)['input']>;

export type AuthType = Given['AuthType'];
export type InvokeMode = NonNullable<Given['InvokeMode']>;
export type Cors = NonNullable<Given['Cors']>;

/** An address at which a function or alias answers HTTP requests. */
export interface FunctionUrl {
  readonly functionId: number;
  readonly functionName: string;
  /** Name of an alias; undefined for the function itself. */
  readonly alias: string | undefined;
  /** The random beginning of the address. */
  readonly urlId: string;
  readonly authType: AuthType;
  readonly cors: Cors | undefined;
  /** Undefined until it was given: responses are then buffered. */
  readonly invokeMode: InvokeMode | undefined;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly modifiedAt: number;
}
