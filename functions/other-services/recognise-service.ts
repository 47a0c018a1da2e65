/** Recognizes requests to other AWS services, which arrive here when a client sends all requests to one endpoint. */

/** The part of a request before its body. */
export interface RequestLine {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: {
    readonly authorization?: string | undefined;
    readonly 'content-type'?: string | undefined;
    readonly host?: string | undefined;
    readonly [name: string]: string | readonly string[] | undefined;
  };
}

/** The protocol of a service, which determines the format of its errors (smithy.io, "AWS protocols"). */
export type Protocol = 'json' | 'query' | 'ec2' | 's3' | 'rest-xml' | 'rest-json' | 'cbor';

export interface OtherService {
  /** The name in the credential scope; for unsigned requests, from other parts of the request. */
  readonly name: string;
  readonly protocol: Protocol;
}

/** Paths of the function service begin with the date of one of its interfaces, also where they were signed for another service. */
const functionPath =
  /^\/(?:2014-11-13|2015-03-31|2016-08-19|2017-03-31|2017-10-31|2018-10-31|2019-09-25|2019-09-30|2020-04-22|2020-06-30|2021-07-20|2021-10-31|2021-11-15|2024-08-31|2025-11-30|2025-12-01)(?:[/?]|$)/;

/** Undefined for a request to the function service or the forge. */
export function recogniseService(request: RequestLine): OtherService | undefined {
  const name = nameOf(request);
  if (name === undefined || name === 'lambda' || functionPath.test(request.url ?? '')) {
    return undefined;
  }
  return { name, protocol: protocolOf(request, name) };
}

/** Whether a request says that it is signed for the function service. */
export function isSignedForFunctions(request: RequestLine): boolean {
  return scopedService(request) === 'lambda';
}

function nameOf(request: RequestLine): string | undefined {
  const scoped = scopedService(request);
  if (scoped !== undefined) return scoped;
  const target = textOf(request, 'x-amz-target');
  if (target !== undefined) return target.startsWith('Logs_') ? 'logs' : target.split('.')[0];
  return hasAction(request) ? 'query' : undefined;
}

/** `AWS4-HMAC-SHA256 Credential=KEY/DAY/REGION/SERVICE/aws4_request, …`; signatures for many regions name none. */
function scopedService(request: RequestLine): string | undefined {
  const { authorization = '' } = request.headers;
  const scope =
    /^AWS4-[A-Z0-9-]+\s.*?Credential=([^,\s]+)/.exec(authorization)?.[1] ??
    decoded(/[?&]X-Amz-Credential=([^&]+)/.exec(request.url ?? '')?.[1]);
  if (scope === undefined) return undefined;
  return /\/(?<service>[^/]*)\/aws4_request$/.exec(scope)?.groups?.['service'];
}

function protocolOf(request: RequestLine, name: string): Protocol {
  if (textOf(request, 'smithy-protocol') === 'rpc-v2-cbor') return 'cbor';
  if (textOf(request, 'x-amz-target') !== undefined) return 'json';
  if (name === 'ec2') return 'ec2';
  if (/^s3(?:-|$|express)/.test(name)) return 's3';
  if (name === 'route53' || name === 'cloudfront') return 'rest-xml';
  return hasAction(request) || name === 'sts' || name === 'iam' ? 'query' : 'rest-json';
}

/** The query protocol has its operation in the query or in a form. */
function hasAction({ method, url = '', headers }: RequestLine): boolean {
  const [path, query = ''] = url.split('?', 2);
  if (path !== '/' && path !== '') return false;
  const isForm = (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  return (method === 'POST' && isForm) || /(?:^|&)Action=/.test(query);
}

function textOf({ headers }: RequestLine, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The internal path for requests to other AWS services; clients never request it. */
export const otherServicesPath = '/-/other-services';
