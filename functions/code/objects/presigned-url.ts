import { createHash, createHmac } from 'node:crypto';

export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  readonly sessionToken?: string;
}

export interface PresignedGet {
  /** `scheme://host[:port]`. */
  readonly endpoint: string;
  /** Not encoded; begins with a slash. */
  readonly path: string;
  readonly version: string | undefined;
  readonly region: string;
  readonly key: AccessKey;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly seconds: number;
}

/** The URL of one object that may be read for a while: Signature Version 4 in the query, as object stores take it. */
export function presignedUrl(request: PresignedGet): string {
  const url = new URL(request.endpoint);
  const { sessionToken } = request.key;
  const time = new Date(request.now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${request.region}/s3/aws4_request`;
  const path = `${url.pathname.replace(/\/$/, '')}${request.path.split('/').map(encoded).join('/')}`;
  const query = [
    `X-Amz-Algorithm=${algorithm}`,
    `X-Amz-Credential=${encoded(`${request.key.id}/${scope}`)}`,
    `X-Amz-Date=${time}`,
    `X-Amz-Expires=${request.seconds}`,
    `X-Amz-SignedHeaders=host`,
    ...(request.version === undefined ? [] : [`versionId=${encoded(request.version)}`]),
    ...(sessionToken === undefined ? [] : [`X-Amz-Security-Token=${encoded(sessionToken)}`]),
  ]
    .toSorted()
    .join('&');
  const canonical = `GET\n${path}\n${query}\nhost:${url.host}\n\nhost\nUNSIGNED-PAYLOAD`;
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = `${algorithm}\n${time}\n${scope}\n${digest}`;
  const signature = hmac(signingKey(request.key.secret, scope), text).toString('hex');
  return `${url.origin}${path}?${query}&X-Amz-Signature=${signature}`;
}

const algorithm = 'AWS4-HMAC-SHA256';

/** Everything but unreserved characters; the language's own function leaves five more, and throws on half characters. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function signingKey(secret: string, scope: string): Buffer {
  return scope.split('/').reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
