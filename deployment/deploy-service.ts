import type { Operation } from '#functions-contract/operation.ts';

/** The function service as a deployment calls it: over HTTP, or in its own process. */
export interface DeployService {
  /** The output of an operation. Throws its refusal. */
  call(operation: Operation, input: DeployInput): Promise<Output>;
  /** The error code of something thrown, if it is a refusal of the service. */
  refusalCode(error: unknown): string | undefined;
  pause(milliseconds: number): Promise<void>;
}

/** Undefined members are not given. */
export type DeployInput = Readonly<Record<string, DeployValue | undefined>>;

export type DeployValue =
  | string
  | number
  | boolean
  | Uint8Array
  | readonly DeployValue[]
  | { readonly [name: string]: DeployValue };

export type Output = Readonly<Record<string, unknown>>;

/** The code of a function. */
export interface DeployCode {
  /** The members of CreateFunction and UpdateFunctionCode that name it. */
  readonly source: Readonly<Record<string, string | Uint8Array>>;
  /** Base64; undefined: only the service knows it. */
  readonly sha256: string | undefined;
}

/** The output, or undefined where the resource does not exist. */
export async function callForExisting(
  service: DeployService,
  operation: Operation,
  input: DeployInput,
): Promise<Output | undefined> {
  try {
    return await service.call(operation, input);
  } catch (error) {
    if (service.refusalCode(error) === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
