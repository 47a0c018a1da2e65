import type { SignedPrincipal } from '../signing/principal.ts';
import type { FunctionUrl } from './function-url.ts';

/** A parsed request to a function URL. */
export interface UrlRequest {
  readonly requestId: string;
  readonly method: string;
  /** As received, not decoded; `/` at least. */
  readonly rawPath: string;
  readonly rawQuery: string;
  /** `HTTP/1.1` */
  readonly protocol: string;
  /** Lower-case names; several of one name are joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sourceIp: string;
  readonly body: Uint8Array;
  /** Epoch milliseconds. */
  readonly time: number;
}

/** Converts a request to an event in payload format 2.0. */
export function httpEvent(
  request: UrlRequest,
  url: Pick<FunctionUrl, 'urlId'>,
  principal: SignedPrincipal | undefined,
  domainName: string,
): object {
  const { cookie, ...headers } = request.headers;
  const parameters = queryParameters(request.rawQuery);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: request.rawPath,
    rawQueryString: request.rawQuery,
    ...(cookie === undefined ? {} : { cookies: cookie.split(/; */) }),
    headers,
    ...(Object.keys(parameters).length === 0 ? {} : { queryStringParameters: parameters }),
    requestContext: {
      accountId: principal?.accountId ?? 'anonymous',
      apiId: url.urlId,
      ...(principal && { authorizer: { iam: iamOf(principal) } }),
      domainName,
      domainPrefix: url.urlId,
      http: {
        method: request.method,
        path: request.rawPath,
        protocol: request.protocol,
        sourceIp: request.sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: request.requestId,
      routeKey: '$default',
      stage: '$default',
      time: logTime(request.time),
      timeEpoch: request.time,
    },
    ...bodyOf(request),
  };
}

/** Values of one name are joined by commas. */
function queryParameters(rawQuery: string): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    const earlier = joined.get(name);
    joined.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return Object.fromEntries(joined);
}

function iamOf({ accessKeyId, accountId, arn, userId }: SignedPrincipal): object {
  return {
    accessKey: accessKeyId ?? null,
    accountId,
    callerId: userId ?? null,
    cognitoIdentity: null,
    principalOrgId: null,
    userArn: arn,
    userId: userId ?? null,
  };
}

/** Text stays text, everything else is base64; an empty body is omitted. */
function bodyOf({ body, headers }: UrlRequest): object {
  if (body.length === 0) return { isBase64Encoded: false };
  const type = headers['content-type'] ?? '';
  if (textTypes.test(type)) {
    return { body: Buffer.from(body).toString(), isBase64Encoded: false };
  }
  return { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
}

const textTypes = /^(text\/[^;]+|application\/(json|javascript|xml)|[^;]+\+(json|xml))\s*(;|$)/i;

/** `12/Mar/2020:19:03:58 +0000` */
function logTime(milliseconds: number): string {
  const [, day, month, year, time] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(milliseconds).toUTCString()) ?? [];
  return `${day}/${month}/${year}:${time} +0000`;
}
