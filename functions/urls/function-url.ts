import {
  createFunctionUrlConfig,
  type getFunctionUrlConfig,
} from '#functions-contract/operations/function-urls.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { functionArn } from '../model/function-name.ts';
import type { FunctionSettings } from '../ports/system-ports.ts';
import { urlAddress } from './url-address.ts';

type Input = StructureOf<(typeof createFunctionUrlConfig)['input']>;

export type AuthType = Input['AuthType'];

export type InvokeMode = NonNullable<Input['InvokeMode']>;

export type Cors = NonNullable<Input['Cors']>;

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

export type CreatedUrl = StructureOf<(typeof createFunctionUrlConfig)['output']>;

export type UrlConfig = StructureOf<(typeof getFunctionUrlConfig)['output']>;

/** The invoke mode is present only where it was given. */
export function representCreatedUrl(url: FunctionUrl, settings: FunctionSettings): CreatedUrl {
  return {
    FunctionUrl: urlAddress(settings, url.urlId),
    FunctionArn: functionArn(settings, url.functionName, url.alias),
    AuthType: url.authType,
    ...(url.cors && { Cors: url.cors }),
    CreationTime: zuluTime(url.createdAt),
    ...(url.invokeMode && { InvokeMode: url.invokeMode }),
  };
}

export function representChangedUrl(url: FunctionUrl, settings: FunctionSettings): UrlConfig {
  return { ...representCreatedUrl(url, settings), LastModifiedTime: zuluTime(url.modifiedAt) };
}

export function representUrl(url: FunctionUrl, settings: FunctionSettings): UrlConfig {
  const { default: buffered } = createFunctionUrlConfig.input.members.InvokeMode;
  return { ...representChangedUrl(url, settings), InvokeMode: url.invokeMode ?? buffered };
}

/** `2026-01-02T03:04:05.678901Z`: the format differs from that of functions. */
function zuluTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}
