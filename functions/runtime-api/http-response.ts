import type { DeliveredEvent } from './runtime-channel.ts';

/** A complete response with a JSON body. */
export function jsonResponse(
  status: ResponseStatus,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const text = JSON.stringify(body);
  const lines = Object.entries(headers).map(([name, value]) => headerLine(name, value));
  return Buffer.from(
    `HTTP/1.1 ${status} ${reasons[status]}\r\nContent-Type: application/json\r\n${lines.join('')}` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

export function errorResponse(
  status: ResponseStatus,
  errorType: string,
  errorMessage: string,
): Buffer {
  return jsonResponse(status, { errorMessage, errorType });
}

export function textResponse(text: string): Buffer {
  return Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

/** The response to a poll: the event as the body, and its metadata in headers. */
export function eventResponse(event: DeliveredEvent): Buffer {
  const head =
    `HTTP/1.1 200 OK\r\n` +
    headerLine('Content-Type', event.contentType ?? 'application/json') +
    headerLine('Lambda-Runtime-Aws-Request-Id', event.requestId) +
    `Lambda-Runtime-Deadline-Ms: ${event.deadline}\r\n` +
    headerLine('Lambda-Runtime-Invoked-Function-Arn', event.functionArn) +
    headerLine('Lambda-Runtime-Trace-Id', event.traceHeader) +
    headerLine('Lambda-Runtime-Client-Context', event.clientContext ?? '') +
    headerLine('Lambda-Runtime-Cognito-Identity', event.identity ?? '') +
    headerLine('Lambda-Runtime-Aws-Tenant-Id', event.tenantId ?? '') +
    `Content-Length: ${event.payload.length}\r\n\r\n`;
  const headLength = Buffer.byteLength(head);
  const response = Buffer.allocUnsafe(headLength + event.payload.length);
  response.write(head);
  response.set(event.payload, headLength);
  return response;
}

type ResponseStatus = keyof typeof reasons;

const reasons = {
  200: 'OK',
  202: 'Accepted',
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Request Entity Too Large',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
} as const;

export const accepted = jsonResponse(202, { status: 'OK' });

export const emptyResponse = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');

export const continueResponse = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n');

/** Omits empty headers. A caller's JSON may have several lines: none may become a header of its own. */
function headerLine(name: string, value: string): string {
  if (value === '') return '';
  return `${name}: ${controlCharacter.test(value) ? value.replaceAll(controlCharacters, ' ') : value}\r\n`;
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controlCharacter = /[\x00-\x1f\x7f]/;

// oxlint-disable-next-line no-control-regex -- as above
const controlCharacters = /[\x00-\x1f\x7f]/g;

/**
 * Response or error of a function; a larger one is answered 413 to the program. The limit is 6 MiB,
 * with 100 bytes of grace.
 */
export const payloadBytesMax = 6 * 1024 * 1024 + 100;

export function payloadTooLarge(bytesMax: number): Buffer {
  return errorResponse(
    413,
    'RequestEntityTooLarge',
    `Exceeded maximum allowed payload size (${bytesMax} bytes).`,
  );
}

export const invalidRequestId = errorResponse(400, 'InvalidRequestID', 'Invalid request ID');

export const invalidResponseMode = errorResponse(
  400,
  'InvalidFunctionResponseMode',
  'Invalid function response mode',
);

export const truncatedRequest = errorResponse(
  400,
  'TruncatedHTTPRequest',
  'HTTP request detected as truncated',
);

export const noSuchCall = errorResponse(404, 'NotFound', 'Unknown path of the Runtime API.');

export const wrongMethod = errorResponse(405, 'MethodNotAllowed', 'Method not allowed.');

/** A call in the wrong state; `from` and `to` are names of a program's states. */
export function transitionRefused(from: string, to: string): Buffer {
  return errorResponse(
    403,
    'InvalidStateTransition',
    `State transition from ${from} to ${to} failed for runtime. Error: State transition is not allowed`,
  );
}
