import type { Html } from './html.ts';

/** What a page handler answers; web.ts gives it its headers. */
export type WebAnswer =
  | {
      readonly kind: 'page';
      readonly title: string;
      readonly body: Html;
      readonly status?: number;
      readonly retryAfterSeconds?: number | undefined;
    }
  | {
      readonly kind: 'bytes';
      readonly contentType: string;
      readonly body: Buffer | string;
      /** The same for everybody and for long: may be kept. */
      readonly lasting?: true;
    }
  | { readonly kind: 'redirect'; readonly location: string };

export function page(title: string, body: Html): WebAnswer {
  return { kind: 'page', title, body };
}

/** Text or any other bytes of a repository: never of a type that a browser would run. */
export function bytes(body: Buffer): WebAnswer {
  const text = looksLikeText(body);
  return {
    kind: 'bytes',
    contentType: text ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    body,
  };
}

/** As git decides: what has a NUL near its beginning is binary. */
export function looksLikeText(body: Buffer): boolean {
  return !body.subarray(0, 8000).includes(0);
}
