import type { Readable } from 'node:stream';

import type { Encoding } from '#platform/content-encoding.ts';

/** A complete response except for the headers that all responses share. */
export interface HttpResponse {
  readonly status: number;
  readonly contentType?: string;
  readonly body?: Buffer;
  /** Instead of a body. */
  readonly stream?: ResponseStream;
  /** What the body is compressed with (http/compression.ts). */
  readonly encoding?: Encoding | undefined;
  /** Strong, of the body before compression. */
  readonly tag?: string;
  readonly lastModified?: number | undefined;
  /** Whether nothing of the body changes without its date. */
  readonly isDatedWhole?: true | undefined;
  readonly link?: string | undefined;
  readonly location?: string | undefined;
  /** Of a file: its name, and which of its bytes are sent. */
  readonly fileHeaders?: Readonly<Record<string, string>>;
  readonly cacheControl?: string;
  /** A second factor is required. */
  readonly codeRequired?: true | undefined;
  readonly pollSeconds?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The value of `X-Accepted-OAuth-Scopes`; undefined if the request reached no endpoint. */
  readonly acceptedScopes?: string | undefined;
}

export interface ResponseStream {
  /** undefined: not known before it is made. */
  readonly bytes: number | undefined;
  readonly open: () => Promise<Readable>;
}

export const jsonType = 'application/json; charset=utf-8';
