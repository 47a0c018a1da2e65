import type {
  createFunctionUrlConfig,
  getFunctionUrlConfig,
} from '#functions-contract/operations/function-urls.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { functionArn } from '../model/function-name.ts';
import type { FunctionSettings } from '../ports/settings.ts';
import type { FunctionUrl } from './function-url.ts';
import { urlAddress } from './url-address.ts';

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
  return { ...representChangedUrl(url, settings), InvokeMode: url.invokeMode ?? 'BUFFERED' };
}

/** `2026-01-02T03:04:05.678901Z`: the format differs from that of functions. */
function zuluTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}
