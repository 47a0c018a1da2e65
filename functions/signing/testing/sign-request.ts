import { createHash, createHmac } from 'node:crypto';

import type { RawRequestHead } from '../request-head.ts';

/** A request before anybody signed it. */
export interface PlainRequest {
  readonly method?: string;
  /** As it goes over the wire. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Signer {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** `YYYYMMDDTHHMMSSZ` */
  readonly time: string;
  readonly region?: string;
  readonly service?: string;
  readonly terminator?: string;
  /** The Date header that is sent instead of AWS's own. */
  readonly date?: string;
  /** Of the scope, if it is not that of the time. */
  readonly day?: string;
}

/**
 * Signs as the AWS CLI does: every header that is there, and not the body's hash. Written apart from what
 * it tests, for targets without dot segments.
 */
export function signRequest(request: PlainRequest, signer: Signer): RawRequestHead {
  const headers: Record<string, string> = {
    host: '127.0.0.1:18999',
    ...(signer.date === undefined ? { 'x-amz-date': signer.time } : { date: signer.date }),
    ...(signer.sessionToken === undefined ? {} : { 'x-amz-security-token': signer.sessionToken }),
    ...request.headers,
  };
  const names = Object.keys(headers)
    .map((name) => name.toLowerCase())
    .toSorted();
  const signature = signatureOf(request, signer, headers, names, request.target);
  const authorization = `AWS4-HMAC-SHA256 Credential=${signer.accessKeyId}/${scopeOf(signer)}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return {
    method: request.method ?? 'PUT',
    target: request.target,
    rawHeaders: Object.entries({ ...headers, authorization }).flat(),
  };
}

/** Signs in the query, the host alone of the headers. */
export function presignRequest(
  request: PlainRequest,
  signer: Signer,
  expires: number | string = 60,
): RawRequestHead {
  const parameters = [
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
    ['X-Amz-Credential', `${signer.accessKeyId}/${scopeOf(signer)}`],
    ['X-Amz-Date', signer.time],
    ['X-Amz-Expires', String(expires)],
    ['X-Amz-SignedHeaders', 'host'],
    ...(signer.sessionToken === undefined ? [] : [['X-Amz-Security-Token', signer.sessionToken]]),
  ];
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
  const target = `${request.target}${request.target.includes('?') ? '&' : '?'}${query.join('&')}`;
  const headers = { host: '127.0.0.1:18999' };
  const signature = signatureOf(request, signer, headers, ['host'], target);
  return {
    method: request.method ?? 'GET',
    target: `${target}&X-Amz-Signature=${signature}`,
    rawHeaders: Object.entries({ ...headers, ...request.headers }).flat(),
  };
}

function scopeOf(signer: Signer): string {
  const { region = 'us-east-1', service = 'lambda', terminator = 'aws4_request' } = signer;
  return [signer.day ?? signer.time.slice(0, 8), region, service, terminator].join('/');
}

function signatureOf(
  request: PlainRequest,
  signer: Signer,
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
  target: string,
): string {
  const [path = '', query = ''] = target.split('?');
  const values = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const method = request.method ?? (names.length > 1 ? 'PUT' : 'GET');
  const canonical = [
    method,
    encodeURIComponent(path).replaceAll('%2F', '/'),
    query.split('&').toSorted().join('&'),
    ...names.map((name) => `${name}:${values.get(name)?.trim().replaceAll(/ +/g, ' ')}`),
    '',
    names.join(';'),
    values.get('x-amz-content-sha256') ?? sha256(request.body ?? ''),
  ].join('\n');
  const scope = scopeOf(signer);
  const text = ['AWS4-HMAC-SHA256', signer.time, scope, sha256(canonical)].join('\n');
  const secret: Uint8Array = Buffer.from(`AWS4${signer.secretAccessKey}`);
  const key = scope.split('/').reduce((derived, part) => hmac(derived, part), secret);
  return Buffer.from(hmac(key, text)).toString('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Uint8Array, text: string): Uint8Array {
  return createHmac('sha256', key).update(text).digest();
}
