import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import { renderRefusal } from '#forge/errors/error-responses.ts';
import type { Refusal } from '#forge/errors/api-error.ts';
import type { Clock } from '#platform/clock.ts';
import { passiveContentHeaders } from '#platform/passive-content.ts';
import { onResponseEnd } from '#platform/response-end.ts';

export const faultKinds = [
  'rate-limit',
  'abuse',
  'internal-error',
  'bad-gateway',
  'cut',
  'slow',
] as const;

/** What the next requests of a path get instead of, or before, their response. */
export interface RequestFault {
  readonly kind: (typeof faultKinds)[number];
  /** With or without `/api/v3`; `*` stands for any characters. */
  readonly path: string;
  /** Undefined: all. */
  readonly method: string | undefined;
  readonly times: number;
  /** Of `abuse` and `slow`. */
  readonly seconds: number;
}

interface PendingFault extends RequestFault {
  left: number;
}

/** Failures that tests ask for, each for so many requests. Those asked for first come first. */
export class RequestFaults {
  readonly #clock: Clock;
  readonly #baseUrl: string;
  #pending: PendingFault[] = [];

  constructor(clock: Clock, baseUrl: string) {
    this.#clock = clock;
    this.#baseUrl = baseUrl;
  }

  get pending(): readonly (Omit<RequestFault, 'seconds'> & { readonly left: number })[] {
    return this.#pending.map(({ kind, path, method, times, left }) => ({
      kind,
      path,
      method,
      times,
      left,
    }));
  }

  add(fault: RequestFault): void {
    this.#pending.push({ ...fault, left: fault.times });
  }

  clear(): void {
    this.#pending = [];
  }

  wrap(next: RequestListener): RequestListener {
    return (request, response) => {
      const fault = this.#take(request);
      if (!fault) next(request, response);
      else if (fault.kind === 'slow') later(fault.seconds, request, response, next);
      else this.#fail(fault, request, response);
    };
  }

  #take({ method, url = '/' }: IncomingMessage): PendingFault | undefined {
    const [path = '/'] = url.split('?');
    const fault = this.#pending.find(
      (pending) =>
        [path, path.replace(/^\/api\/v3(?=\/)/, '')].some((each) => fits(each, pending.path)) &&
        (pending.method === undefined || pending.method === method),
    );
    if (!fault) return undefined;
    fault.left -= 1;
    if (fault.left === 0) this.#pending = this.#pending.filter((other) => other !== fault);
    return fault;
  }

  #fail(fault: RequestFault, request: IncomingMessage, response: ServerResponse): void {
    // The client may still be sending, and reads nothing before it has sent everything.
    request.resume();
    switch (fault.kind) {
      case 'cut':
        request.socket.destroy();
        return;
      case 'internal-error':
        send(response, 500, { message: 'Internal server error. A test control asked for it.' });
        return;
      case 'bad-gateway':
        response.writeHead(502, { 'content-type': 'text/html' });
        response.end('<html><body><h1>502 Bad Gateway</h1></body></html>\n');
        return;
      case 'rate-limit':
        this.#refuse(response, { kind: 'rate-limited', who: 'user ID 1', anonymous: false });
        return;
      case 'abuse':
        this.#refuse(response, {
          kind: 'abuse-limited',
          about: 'creation',
          retryAfterSeconds: fault.seconds,
        });
        return;
      case 'slow':
        return;
    }
  }

  /** As the forge refuses (forge/http/error-handler.ts). */
  #refuse(response: ServerResponse, refusal: Refusal): void {
    const { status, message, documentation, retryAfterSeconds } = renderRefusal(refusal);
    const reset = Math.ceil(this.#clock.now() / 1000) + hourSeconds;
    const isLimit = refusal.kind === 'rate-limited';
    const remaining = isLimit ? 0 : limit - 1;
    send(
      response,
      status,
      { message, documentation_url: `${this.#baseUrl}/docs/rest/${documentation ?? ''}` },
      {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(remaining),
        'x-ratelimit-used': String(limit - remaining),
        'x-ratelimit-reset': String(reset),
        'x-ratelimit-resource': 'core',
        ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      },
    );
  }
}

/** In time that grows with the path alone, which a regular expression with several wildcards does not promise. */
function fits(path: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return path === first;
  if (!path.startsWith(first)) return false;
  let end = first.length;
  for (const part of others) {
    const at = path.indexOf(part, end);
    if (at === -1) return false;
    end = at + part.length;
  }
  return path.length - last.length >= end && path.endsWith(last);
}

const limit = 5000;
const hourSeconds = 3600;

function later(
  seconds: number,
  request: IncomingMessage,
  response: ServerResponse,
  next: RequestListener,
): void {
  const timer = setTimeout(() => next(request, response), seconds * 1000);
  // The client has left.
  onResponseEnd(response, () => clearTimeout(timer));
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, { ...passiveContentHeaders, ...type, ...headers });
  response.end(JSON.stringify(body));
}
