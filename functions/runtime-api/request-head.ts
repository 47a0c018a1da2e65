/** The first part of an HTTP/1.1 request, read as strictly as RFC 9112 allows. */
export interface RequestHead {
  readonly method: string;
  /** Without the query: no operation of the Runtime API uses one. */
  readonly path: string;
  /** By lower-case name; repeated fields are joined (RFC 9110 section 5.3). */
  readonly headers: Headers;
  readonly body: BodyFraming;
  readonly keepAlive: boolean;
  /** The client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
}

export type Headers = ReadonlyMap<string, string>;

export type BodyFraming =
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' };

/** `text` is everything before the empty line, one character a byte. */
export function parseRequestHead(text: string): RequestHead | undefined {
  const lineEnd = text.indexOf('\r\n');
  const requestLine = requestLinePattern.exec(lineEnd < 0 ? text : text.slice(0, lineEnd));
  const method = requestLine?.[1];
  const path = requestLine?.[2];
  if (method === undefined || path === undefined) return undefined;
  const headers = parseHeaders(lineEnd < 0 ? '' : text.slice(lineEnd + 2));
  if (headers === undefined) return undefined;
  const body = framingOf(headers);
  if (body === undefined) return undefined;
  return {
    method,
    path,
    headers,
    body,
    keepAlive: headers.get('connection')?.toLowerCase() !== 'close',
    expectsContinue: headers.get('expect')?.toLowerCase() === '100-continue',
  };
}

/** Header or trailer lines; undefined when one is malformed. */
export function parseHeaders(text: string): Headers | undefined {
  const headers = new Map<string, string>();
  if (text === '') return headers;
  const lines = text.split('\r\n');
  if (lines.length > headerLinesMax) return undefined;
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    // A folded line, or a space before the colon, is read differently by different parsers, so we refuse it.
    if (!headerNamePattern.test(name)) return undefined;
    const value = line.slice(colon + 1).trim();
    if (controlCharacter.test(value)) return undefined;
    const before = headers.get(name);
    if (before !== undefined && singleHeaders.has(name)) return undefined;
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

/** Refuses ambiguous or unknown framing, which allows request smuggling. */
function framingOf(headers: Headers): BodyFraming | undefined {
  const length = headers.get('content-length');
  const coding = headers.get('transfer-encoding');
  if (coding !== undefined) {
    return length === undefined && coding.toLowerCase() === 'chunked'
      ? { kind: 'chunked' }
      : undefined;
  }
  if (length === undefined) return noBody;
  return /^\d{1,15}$/.test(length) ? { kind: 'length', length: Number(length) } : undefined;
}

const requestLinePattern = /^([A-Z]{1,16}) (\/[!-"$->@-~]*)(?:\?[!-"$-~]*)? HTTP\/1\.1$/;
const headerNamePattern = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controlCharacter = /[\x00-\x08\x0a-\x1f\x7f]/;
const singleHeaders = new Set(['content-length', 'transfer-encoding', 'host']);
/** Header lines of a program's request; then 400. */
const headerLinesMax = 100;
const noBody: BodyFraming = { kind: 'length', length: 0 };
