import type { Readable } from 'node:stream';

import type { ByteRange } from '#platform/byte-range.ts';

import type { GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import type { Json } from '../json/json-values.ts';

/** `X-Poll-Interval` of every list that clients poll (docs/specification/forge.md 13.3). */
export const pollSeconds = 60;

/** The result of an endpoint; send-response.ts adds the headers. */
export type EndpointResult =
  | {
      readonly kind: 'json';
      readonly status: 200 | 201 | 202;
      readonly body: Json;
      /** The `Location` header: the URL of the created resource. */
      readonly location?: string;
      /** Milliseconds since the epoch. */
      readonly lastModified?: number;
      /** Nothing of the response changes without its date. */
      readonly isDatedWhole?: true;
      /** For lists: how many items there are in total. */
      readonly paging?: Paging;
      /** false if the response can change without a write. */
      readonly cacheable?: boolean;
      /** `X-Poll-Interval`, for lists that clients poll (docs/specification/forge.md 13.3). */
      readonly pollSeconds?: number;
      /** No entity tag, and this value instead of the usual `Cache-Control`. */
      readonly cacheControl?: 'no-cache';
    }
  | {
      readonly kind: 'text';
      readonly body: Buffer | string;
      /** The media type parameter that was honoured: `diff`, `patch`, `sha`, `raw`, `html`. */
      readonly parameter: string;
      readonly lastModified?: number;
      /** Used instead of a hash of the body, without quotes. */
      readonly entityTag?: string;
    }
  | {
      /** Bytes that are sent as git reads them. */
      readonly kind: 'stream';
      readonly form: 'raw' | 'json';
      readonly bytes: number;
      /** Without quotes. */
      readonly entityTag: string;
      /** Called at most once, when the body is sent. */
      readonly open: () => Promise<Readable>;
    }
  | {
      /** Bytes that clients save to a file, whole or in part. */
      readonly kind: 'file';
      readonly name: string;
      readonly bytes: number;
      /** Without quotes. */
      readonly entityTag: string;
      readonly lastModified: number;
      /** Called at most once, when the body is sent. */
      readonly open: (range: ByteRange) => Promise<Readable>;
    }
  | {
      /** A file whose size is not known before it is made. */
      readonly kind: 'archive';
      readonly name: string;
      readonly contentType: string;
      /** Called at most once, when the body is sent. */
      readonly open: () => Promise<Readable>;
    }
  | { readonly kind: 'empty'; readonly status: 204 | 205 }
  | { readonly kind: 'redirect'; readonly status: 302; readonly location: string };

export interface Paging {
  /**
   * The total number of items; or only whether there is a next page, if counting is too expensive; or the last item of this
   * page, for lists that continue by `since` instead of page numbers.
   */
  readonly total:
    | number
    | { readonly hasNext: boolean }
    | { readonly nextSince: number | undefined };
}

export function ok(
  body: Json,
  more: {
    lastModified?: number;
    isDatedWhole?: true;
    cacheable?: boolean;
    cacheControl?: 'no-cache';
  } = {},
): EndpointResult {
  return { kind: 'json', status: 200, body, ...more };
}

/** The raw bytes of a blob. */
export function streamRaw(
  git: GitRepository,
  { id, size }: { readonly id: ObjectId; readonly size: number },
): EndpointResult {
  return {
    kind: 'stream',
    form: 'raw',
    bytes: size,
    entityTag: id,
    open: () => git.streamBlob(id),
  };
}

export function created(body: Json, location: string): EndpointResult {
  return { kind: 'json', status: 201, body, location };
}

export function accepted(body: Json): EndpointResult {
  return { kind: 'json', status: 202, body };
}

/** One page of a list. `body` contains the page's items (or an object around them). */
export function page(
  body: Json,
  total: Paging['total'],
  more: { lastModified?: number } = {},
): EndpointResult {
  return { kind: 'json', status: 200, body, paging: { total }, ...more };
}

export function text(
  parameter: string,
  body: Buffer | string,
  more: { lastModified?: number; entityTag?: string } = {},
): EndpointResult {
  return { kind: 'text', parameter, body, ...more };
}

export function noContent(): EndpointResult {
  return { kind: 'empty', status: 204 };
}
