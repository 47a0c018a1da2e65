/** Recorded requests as an HTTP Archive 1.2 (HAR), which the developer tools of browsers open. */
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

import { secretName } from '#platform/log.ts';

import { readVersion } from '../../../program-files.ts';
import type { Exchange, HeaderLine, RecordedBody } from './recorder.ts';

export function archiveOf(exchanges: readonly Exchange[], baseUrl: string): object {
  return {
    log: {
      version: '1.2',
      creator: { name: 'Hob', version: readVersion() },
      entries: exchanges.map((exchange) => entryOf(exchange, baseUrl)),
    },
  };
}

function entryOf(exchange: Exchange, baseUrl: string): object {
  const { httpVersion, milliseconds, requestBody, responseBody } = exchange;
  const url = new URL(baseUrl);
  const queryString = redactedQuery(exchange.target.split(/\?(.*)/s)[1] ?? '');
  const requestType = valueOf(exchange.requestHeaders, 'content-type') ?? '';
  const common = { httpVersion, cookies: [], headersSize: -1 };
  return {
    startedDateTime: new Date(exchange.startedAt).toISOString(),
    time: milliseconds,
    request: {
      ...common,
      method: exchange.method,
      url: `${url.origin}${redactedTarget(exchange.target)}`,
      headers: redactedHeaders(exchange.requestHeaders),
      queryString,
      bodySize: requestBody.size,
      ...(requestBody.size > 0 && { postData: postData(requestBody, requestType) }),
    },
    response: {
      ...common,
      status: exchange.status,
      statusText: exchange.statusText,
      headers: redactedHeaders(exchange.responseHeaders),
      redirectURL: redactedTarget(valueOf(exchange.responseHeaders, 'location') ?? ''),
      bodySize: responseBody.size,
      content: contentOf(responseBody, exchange.responseHeaders),
    },
    cache: {},
    timings: { send: 0, wait: milliseconds, receive: 0 },
  };
}

const redacted = '[redacted]';
const secretHeaders =
  /^(?:(?:proxy-)?authorization|cookie|set-cookie|x-amz-security-token|x-.*-otp)$/i;
const secretParameters =
  /^(?:code|x-amz-signature|x-amz-security-token|x-amz-credential|assertion|pem)$/i;

function isSecret(name: string): boolean {
  return secretName.test(name) || secretParameters.test(name);
}

function redactedHeaders(headers: readonly HeaderLine[]): HeaderLine[] {
  return headers.map(({ name, value }) => {
    if (secretHeaders.test(name)) return { name, value: redacted };
    return { name, value: urlHeaders.test(name) ? redactedTarget(value) : value };
  });
}

const urlHeaders = /^(?:location|referer|link)$/i;
/** What is behind these is worth what it stands for: an App's private key, an archive of code, a callback. */
const secretPaths = /(\/(?:app-manifests|code-archives|durable-execution-callbacks)\/)[^/?]+/g;

/** A URL or a path with its query. */
function redactedTarget(target: string): string {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const shown = path.replaceAll(secretPaths, `$1${redacted}`);
  return query === '' ? shown : `${shown}?${encoded(redactedQuery(query))}`;
}

function redactedQuery(query: string): HeaderLine[] {
  return [...new URLSearchParams(query)].map(([name, value]) => ({
    name,
    value: isSecret(name) ? redacted : value,
  }));
}

function encoded(parameters: readonly HeaderLine[]): string {
  return new URLSearchParams(parameters.map(({ name, value }) => [name, value])).toString();
}

interface PostData {
  readonly mimeType: string;
  readonly text: string;
  readonly comment?: string;
}

/** The format has text only; what is none is encoded, and said to be. */
function postData({ bytes }: RecordedBody, mimeType: string): PostData {
  if (!bytes) return { mimeType, text: '', comment: tooLarge };
  const text = textOf(bytes, mimeType);
  return text === undefined
    ? { mimeType, text: bytes.toString('base64'), comment: 'base64' }
    : { mimeType, text };
}

const tooLarge = 'The body is too large to be recorded.';

function contentOf({ size, bytes }: RecordedBody, headers: readonly HeaderLine[]): object {
  const mimeType = valueOf(headers, 'content-type') ?? '';
  if (!bytes) return { size, mimeType, comment: tooLarge };
  const plain = decompressed(bytes, valueOf(headers, 'content-encoding'));
  const text = textOf(plain, mimeType);
  return text === undefined
    ? { size: plain.length, mimeType, text: plain.toString('base64'), encoding: 'base64' }
    : { size: plain.length, mimeType, text };
}

/** A response that was broken off cannot be decompressed. */
function decompressed(bytes: Buffer, coding: string | undefined): Buffer {
  const decompress = decompressions[coding ?? ''];
  if (!decompress) return bytes;
  try {
    return decompress(bytes);
  } catch {
    return bytes;
  }
}

const decompressions: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  deflate: inflateSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

/** Undefined: it is no text. */
function textOf(bytes: Buffer, mimeType: string): string | undefined {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) return undefined;
  if (/^application\/x-www-form-urlencoded/i.test(mimeType)) return encoded(redactedQuery(text));
  return withoutSecrets(text);
}

/** Many clients send JSON without a type, or with that of a form. */
function withoutSecrets(text: string): string {
  if (!/^\s*[[{]/.test(text)) return withoutSecretsInText(text);
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) =>
      isSecret(name) && (typeof value === 'string' || typeof value === 'object') ? redacted : value,
    );
  } catch {
    return withoutSecretsInText(text);
  }
}

/** Of pages the hidden fields of forms; of what looks like JSON and is none, what follows the name of a secret. */
function withoutSecretsInText(text: string): string {
  return text
    .replaceAll(/(<input\b[^>]*\btype="?hidden\b[^>]*\bvalue=")[^"]*/gi, `$1${redacted}`)
    .replaceAll(/(<input\b[^>]*\bvalue=")[^"]*("[^>]*\btype="?hidden\b)/gi, `$1${redacted}$2`)
    .replaceAll(
      /(["']?([\w-]+)["']?\s*:\s*)(?:"[^"]*"?|'[^']*'?)/g,
      (pair, name: string, word: string) => (isSecret(word) ? `${name}"${redacted}"` : pair),
    );
}

function valueOf(headers: readonly HeaderLine[], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value;
}
