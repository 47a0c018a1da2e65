// An import of node:crypto gets at every export of it, and so starts Web Crypto, which is not needed here.
const { createHash, createHmac } = process.getBuiltinModule('node:crypto');

/** A request as it goes over the wire; header names in lower case. */
export interface SignableRequest {
  readonly method: string;
  /** With the query, encoded as it is sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Signer {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
}

/** A request with its signature, and what it was made of, for `--debug`. */
export interface SignedRequest extends SignableRequest {
  readonly canonicalRequest: string;
  readonly stringToSign: string;
}

const algorithm = 'AWS4-HMAC-SHA256';
const service = 'lambda';

/**
 * Signs by Signature Version 4. Written here and not taken from a library: what the libraries load takes longer than all
 * of this, and they sign headers that the AWS CLI leaves out.
 */
export function sign(request: SignableRequest, signer: Signer, now: number): SignedRequest {
  const dateTime = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const scope = `${dateTime.slice(0, 8)}/${signer.region}/${service}/aws4_request`;
  const headers = {
    ...request.headers,
    'x-amz-date': dateTime,
    ...(signer.sessionToken === undefined ? {} : { 'x-amz-security-token': signer.sessionToken }),
  };
  const names = Object.keys(headers).filter(isSigned).toSorted();
  const canonicalRequest = canonical({ ...request, headers }, names);
  const stringToSign = [algorithm, dateTime, scope, sha256(canonicalRequest)].join('\n');
  const signature = createHmac('sha256', signingKey(signer.secretAccessKey, scope))
    .update(stringToSign)
    .digest('hex');
  const credential = `${signer.accessKeyId}/${scope}`;
  const authorization = `${algorithm} Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...request, headers: { ...headers, authorization }, canonicalRequest, stringToSign };
}

/** What proxies may change, and what the AWS CLI leaves out. */
const isSigned = (name: string): boolean =>
  !['connection', 'content-length', 'expect', 'user-agent', 'x-amzn-trace-id'].includes(name);

function canonical(request: SignableRequest, names: readonly string[]): string {
  const [path = '', query = ''] = request.path.split('?', 2);
  const headers = names.map((name) => `${name}:${trimmed(request.headers[name] ?? '')}\n`);
  return [
    request.method,
    canonicalPath(path),
    canonicalQuery(query),
    headers.join(''),
    names.join(';'),
    sha256(request.body),
  ].join('\n');
}

/** The path as it is sent, encoded once more; doubled slashes and dots resolved. */
function canonicalPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(encoded(segment));
  }
  const slash = path.endsWith('/') && segments.length > 0 ? '/' : '';
  return `/${segments.join('/')}${slash}`;
}

function canonicalQuery(query: string): string {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [reencoded(name), reencoded(value.join('='))] as const;
    })
    .toSorted(
      ([name, value], [other, otherValue]) => order(name, other) || order(value, otherValue),
    )
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const order = (one: string, other: string): number => Number(one > other) - Number(one < other);

const reencoded = (text: string): string => encoded(decodeURIComponent(text));

const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const trimmed = (value: string): string => value.trim().replaceAll(/\s+/g, ' ');

const sha256 = (data: string | Uint8Array): string =>
  createHash('sha256').update(data).digest('hex');

/** Good for one day, region and service only. */
function signingKey(secret: string, scope: string): Buffer {
  let key = Buffer.from(`AWS4${secret}`);
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  return key;
}
