import type { Readable } from 'node:stream';

import type { ByteRange } from '#platform/byte-range.ts';

import type { Asset } from './assets.ts';
import type { Html } from './html.ts';

/** The result of a page handler; web.ts adds the headers. */
export type WebResponse =
  | {
      readonly kind: 'page';
      readonly title: string;
      readonly body: Html;
      /** Metadata for programs in the head of the page. */
      readonly head?: Html;
      /** Runs on the page, which also works without it. */
      readonly script?: Asset;
      readonly status?: number;
      readonly retryAfterSeconds?: number | undefined;
      /** Set if the page has a form. Its response may redirect to this server and to these origins. */
      readonly forms?: readonly string[];
      readonly cookies?: readonly string[] | undefined;
      /** Not compressed: its length would reveal a secret on it. */
      readonly secret?: true;
    }
  | {
      readonly kind: 'bytes';
      readonly contentType: string;
      readonly body: Buffer | string;
      /** The same for all users, so it may be cached: for an hour, or for ever, where its URL changes with it. */
      readonly lasting?: 'hour' | 'immutable';
      /** Pages of other origins may show it. */
      readonly embedded?: true;
      /** An image that anybody may have made: it has its own styles, and is saved where a browser would open it as a document. */
      readonly image?: true;
    }
  | {
      readonly kind: 'redirect';
      readonly location: string;
      /** After a form: the browser must follow the redirect with GET. */
      readonly status?: 303;
      readonly cookies?: readonly string[];
    };

/** Bytes of a repository that are sent as they are read. */
export interface StreamResponse {
  readonly kind: 'stream';
  readonly bytes: number;
  /** Of the file, by which SVG is known. */
  readonly name?: string;
  /** Set for a file that browsers save; others are shown as what their bytes are. */
  readonly file?: { readonly name: string; readonly tag: string };
  readonly open: (range: ByteRange) => Promise<Readable>;
}

/** A file whose size is not known before it is made. */
export interface ArchiveResponse {
  readonly kind: 'archive';
  readonly name: string;
  readonly contentType: string;
  readonly open: () => Promise<Readable>;
}

export type FileResponse = StreamResponse | ArchiveResponse;

export function page(title: string, body: Html): WebResponse & { kind: 'page' } {
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

/** Bytes of a repository: as text, a picture, or nothing that a browser would run. */
export function bytes(body: Buffer, name = ''): WebResponse {
  return { kind: 'bytes', contentType: contentTypeOf(body, name), body };
}

/**
 * By the beginning of the bytes. SVG is a picture only by its name; as a document it runs nothing, because raw bytes are sent
 * with the policy `sandbox` (platform/passive-content.ts).
 */
export function contentTypeOf(beginning: Buffer, name = ''): string {
  const picture = pictures.find(({ begins }) => begins(beginning.toString('latin1', 0, 16)));
  if (picture) return picture.contentType;
  if (/\.svg$/i.test(name) && looksLikeText(beginning)) return 'image/svg+xml';
  return looksLikeText(beginning) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

/** As git decides: what has a NUL near its beginning is binary. */
export function looksLikeText(body: Buffer): boolean {
  return !body.subarray(0, 8000).includes(0);
}

/** The bytes that begin a picture of each type. */
const pictures = [
  { begins: (text: string) => text.startsWith('\x89PNG\r\n\x1a\n'), contentType: 'image/png' },
  { begins: (text: string) => text.startsWith('\xff\xd8\xff'), contentType: 'image/jpeg' },
  { begins: (text: string) => /^GIF8[79]a/.test(text), contentType: 'image/gif' },
  { begins: (text: string) => /^RIFF[^]{4}WEBP/.test(text), contentType: 'image/webp' },
] as const;
