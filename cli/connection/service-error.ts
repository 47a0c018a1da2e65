import type { TransportResponse } from '../context/cli-context.ts';

/** An error that the service answered with. */
export interface ServiceError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The whole body, for what else it says: `Type`, `Reason`. */
  readonly body: Readonly<Record<string, unknown>>;
}

export const isServiceError = ({ status }: TransportResponse): boolean => status >= 300;

/** The code stands in a header or in the body, with a namespace before and an address after it. */
export function readServiceError(response: TransportResponse, reason: string): ServiceError {
  const body = bodyMembers(response);
  const code =
    response.headers['x-amzn-errortype'] ?? textIn(body, 'code') ?? textIn(body, '__type');
  // A response of something else on the way, like a proxy, has neither.
  if (code === undefined && Object.keys(body).length === 0) {
    return { status: response.status, code: String(response.status), message: reason, body };
  }
  return {
    status: response.status,
    code: (code ?? String(response.status)).replace(/:.*$/s, '').replace(/^.*#/s, ''),
    message: messageOf(body),
    body,
  };
}

/** The line that scripts look for in the error output. */
export function serviceErrorText(
  { code, message }: Pick<ServiceError, 'code' | 'message'>,
  operation: string,
  retries: number | undefined,
): string {
  const tried = retries === undefined ? '' : ` (reached max retries: ${retries})`;
  return `An error occurred (${code}) when calling the ${operation} operation${tried}: ${message}`;
}

/** An empty message is one; null is printed in Python's notation, as the AWS CLI does. */
function messageOf(body: Readonly<Record<string, unknown>>): string {
  const value = 'message' in body ? body['message'] : body['Message'];
  if (value === undefined) return '';
  if (value === null) return 'None';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function bodyMembers({ body }: TransportResponse): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function textIn(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = body[name];
  return typeof value === 'string' ? value : undefined;
}
