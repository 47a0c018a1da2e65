import type { Readable } from 'node:stream';

import type { Html } from './html.ts';

/** The result of a page handler; web.ts adds the headers. */
export type WebResponse =
  | {
      readonly kind: 'page';
      readonly title: string;
      readonly body: Html;
      /** Metadata for programs in the head of the page. */
      readonly head?: Html;
      readonly status?: number;
      readonly retryAfterSeconds?: number | undefined;
      /** Set if the page has a form. Its response may redirect to this server and to these origins. */
      readonly forms?: readonly string[];
      readonly cookies?: readonly string[] | undefined;
    }
  | {
      readonly kind: 'bytes';
      readonly contentType: string;
      readonly body: Buffer | string;
      /** The same for all users and rarely changed, so it may be cached. */
      readonly lasting?: true;
      /** Pages of other origins may show it. */
      readonly embedded?: true;
    }
  | {
      readonly kind: 'redirect';
      readonly location: string;
      /** After a form: the browser must follow the redirect with GET. */
      readonly status?: 303;
      readonly cookies?: readonly string[];
    };

/** Bytes of a repository that are sent as git reads them. */
export interface StreamResponse {
  readonly kind: 'stream';
  readonly bytes: number;
  readonly open: () => Promise<Readable>;
}

export function page(title: string, body: Html): WebResponse {
  return { kind: 'page', title, body };
}

/** A page with a form on it. */
export function formPage(title: string, body: Html, status = 200): WebResponse & { kind: 'page' } {
  return { kind: 'page', title, body, status, forms: [] };
}

/** Where a form leads. */
export function seeOther(location: string, cookies: readonly string[] = []): WebResponse {
  return { kind: 'redirect', status: 303, location, cookies };
}

/** Text or any other bytes of a repository: never of a type that a browser would run. */
export function bytes(body: Buffer): WebResponse {
  return { kind: 'bytes', contentType: contentTypeOf(body), body };
}

/** By the beginning of the bytes. */
export function contentTypeOf(beginning: Buffer): string {
  return looksLikeText(beginning) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

/** As git decides: what has a NUL near its beginning is binary. */
export function looksLikeText(body: Buffer): boolean {
  return !body.subarray(0, 8000).includes(0);
}
