import type { IncomingHttpHeaders } from 'node:http';

/** Both inclusive, as in RFC 9110, 14.1.2; none where the last comes before the first. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Which bytes a request asks for. */
type RequestedBytes =
  | { readonly kind: 'all' }
  | ({ readonly kind: 'range' } & ByteRange)
  | { readonly kind: 'unsatisfiable' };

/**
 * The `Range` of a request for a file of this size (RFC 9110, 14.2). Several ranges, other units and malformed ones are ignored, as a
 * server may; so is one whose `If-Range` names another version.
 */
function requestedBytes(
  { range, 'if-range': ifRange }: IncomingHttpHeaders,
  bytes: number,
  tag: string,
): RequestedBytes {
  if (ifRange !== undefined && ifRange !== tag) return { kind: 'all' };
  const [, start = '', end = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (start === '' && end === '') return { kind: 'all' };
  // The last bytes of the file.
  const first = start === '' ? Math.max(0, bytes - Number(end)) : Number(start);
  const last = start === '' || end === '' ? bytes - 1 : Math.min(Number(end), bytes - 1);
  if (start !== '' && end !== '' && Number(end) < Number(start)) return { kind: 'all' };
  return first >= bytes ? { kind: 'unsatisfiable' } : { kind: 'range', first, last };
}

/** How the headers of a response name the bytes that it has; 416 has none. */
export interface SentBytes {
  readonly status: 200 | 206 | 416;
  readonly length: number;
  readonly range: ByteRange;
  readonly headers: Readonly<Record<string, string>>;
}

export function sentBytes(headers: IncomingHttpHeaders, bytes: number, tag: string): SentBytes {
  const requested = requestedBytes(headers, bytes, tag);
  const accepts = { 'accept-ranges': 'bytes' };
  switch (requested.kind) {
    case 'all':
      return { status: 200, length: bytes, range: { first: 0, last: bytes - 1 }, headers: accepts };
    case 'range': {
      const { first, last } = requested;
      const range = `bytes ${first}-${last}/${bytes}`;
      const named = { ...accepts, 'content-range': range };
      return { status: 206, length: last - first + 1, range: { first, last }, headers: named };
    }
    case 'unsatisfiable': {
      const named = { ...accepts, 'content-range': `bytes */${bytes}` };
      return { status: 416, length: 0, range: { first: 0, last: -1 }, headers: named };
    }
  }
}

/** A file that is saved, never shown as a document of the site (RFC 6266, RFC 8187). */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\w.+@-]/g, '_');
  const exact = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  );
  return plain === name
    ? `attachment; filename="${plain}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
