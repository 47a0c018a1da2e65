import { canonicalPath, canonicalQuery, readQueryParameters } from '#platform/sigv4/canonical.ts';
import {
  algorithm,
  type CanonicalRequest,
  canonicalText,
  computeSignature,
  deriveKey,
  stringToSign,
} from '#platform/sigv4/compute-signature.ts';

// Not an import: see compute-signature.ts.
const { hash } = process.getBuiltinModule('node:crypto');

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

const service = 'lambda';

/**
 * Signs by Signature Version 4. Written here and not taken from a library: what the libraries load takes longer than all
 * of this, and they sign headers that the AWS CLI leaves out.
 */
export function sign(request: SignableRequest, signer: Signer, now: number): SignedRequest {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${signer.region}/${service}/aws4_request`;
  const headers = {
    ...request.headers,
    'x-amz-date': time,
    ...(signer.sessionToken === undefined ? {} : { 'x-amz-security-token': signer.sessionToken }),
  };
  const signedHeaders = Object.keys(headers).filter(isSigned).toSorted();
  const canonical = canonicalOf({ ...request, headers }, signedHeaders);
  const key = deriveKey(signer.secretAccessKey, scope);
  const signature = computeSignature(canonical, { time, scope }, key).toString('hex');
  const credential = `${signer.accessKeyId}/${scope}`;
  const authorization = `${algorithm} Credential=${credential}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`;
  const canonicalRequest = canonicalText(canonical);
  return {
    ...request,
    headers: { ...headers, authorization },
    canonicalRequest,
    stringToSign: stringToSign(canonicalRequest, { time, scope }),
  };
}

/** What proxies may change, and what the AWS CLI leaves out. */
const isSigned = (name: string): boolean =>
  !['connection', 'content-length', 'expect', 'user-agent', 'x-amzn-trace-id'].includes(name);

function canonicalOf(request: SignableRequest, signedHeaders: readonly string[]): CanonicalRequest {
  const [path = '', query = ''] = request.path.split('?', 2);
  const headers = signedHeaders.map((name) => `${name}:${trimmed(request.headers[name] ?? '')}\n`);
  return {
    method: request.method,
    path: canonicalPath(path),
    query: canonicalQuery(readQueryParameters(query)),
    headers: headers.join(''),
    signedHeaders,
    payloadHash: hash('sha256', request.body, 'hex'),
  };
}

const trimmed = (value: string): string => value.trim().replaceAll(/\s+/g, ' ');
