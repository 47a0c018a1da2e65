import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import { type Clock, hostTime } from '#platform/clock.ts';
import { onResponseEnd } from '#platform/response-end.ts';

/** A request and what it got, as they were on the connection. */
export interface Exchange {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly milliseconds: number;
  readonly method: string;
  /** The request target. */
  readonly target: string;
  readonly httpVersion: string;
  readonly requestHeaders: readonly HeaderLine[];
  readonly requestBody: RecordedBody;
  /** 0: the connection ended before there was a response. */
  readonly status: number;
  readonly statusText: string;
  readonly responseHeaders: readonly HeaderLine[];
  readonly responseBody: RecordedBody;
}

export interface HeaderLine {
  readonly name: string;
  readonly value: string;
}

export interface RecordedBody {
  /** All of it, also if less was recorded. */
  readonly size: number;
  /** Undefined: it is too large to be recorded. */
  readonly bytes: Buffer | undefined;
}

/** Body of a recorded request or response; of a larger one, none is recorded. */
const recordedBodyBytesMax = 1024 * 1024;
/** Recorded requests; the oldest are removed. */
const exchangesMax = 10_000;
/** Bodies of recorded requests and responses together, because they are given as one text; the oldest are removed. */
const recordedBytesMax = 64 * 1024 * 1024;

/** Keeps the requests of a run with their responses; the latest, where there are very many. */
export class Recorder {
  readonly #clock: Clock;
  #exchanges: Exchange[] | undefined;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined: none was started. */
  get exchanges(): readonly Exchange[] | undefined {
    return this.#exchanges?.toSorted((one, other) => one.startedAt - other.startedAt);
  }

  start(): void {
    this.#exchanges = [];
    this.#bytes = 0;
  }

  stop(): void {
    this.#exchanges = undefined;
  }

  wrap(next: RequestListener): RequestListener {
    return (request, response) => {
      if (this.#exchanges) this.#record(this.#exchanges, request, response);
      next(request, response);
    };
  }

  /** Removes the oldest for what is too much. */
  #keep(exchanges: Exchange[], exchange: Exchange): void {
    // Another recording has started.
    if (exchanges !== this.#exchanges) return;
    exchanges.push(exchange);
    this.#bytes += bytesOf(exchange);
    while (exchanges.length > exchangesMax || this.#bytes > recordedBytesMax) {
      const oldest = exchanges.shift();
      if (!oldest) return;
      this.#bytes -= bytesOf(oldest);
    }
  }

  #record(exchanges: Exchange[], request: IncomingMessage, response: ServerResponse): void {
    const startedAt = hostTime(this.#clock);
    const began = performance.now();
    // Services may rewrite it.
    const target = request.url ?? '/';
    const sent = new BodyCopy();
    const received = new BodyCopy();
    let given: unknown;
    // Not a listener for data: it would have the body flow before the service reads it.
    onCall(request, 'push', (chunk) => sent.add(chunk));
    onCall(response, 'write', (chunk) => received.add(chunk));
    onCall(response, 'end', (chunk) => received.add(chunk));
    onCall(response, 'writeHead', (_status, ...rest) => {
      given = rest.at(-1);
    });
    onResponseEnd(response, () => {
      const { headersSent, statusCode, statusMessage } = response;
      this.#keep(exchanges, {
        startedAt,
        milliseconds: performance.now() - began,
        method: request.method ?? '',
        target,
        httpVersion: `HTTP/${request.httpVersion}`,
        requestHeaders: pairs(request.rawHeaders),
        requestBody: sent.body,
        status: headersSent ? statusCode : 0,
        statusText: headersSent ? (statusMessage ?? '') : '',
        responseHeaders: headersSent ? headersOf(response, given) : [],
        responseBody: received.body,
      });
    });
  }
}

function bytesOf({ requestBody, responseBody }: Exchange): number {
  return (requestBody.bytes?.length ?? 0) + (responseBody.bytes?.length ?? 0);
}

class BodyCopy {
  #chunks: Buffer[] = [];
  #size = 0;

  add(chunk: unknown): void {
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk)
        : chunk instanceof Uint8Array
          ? Buffer.from(chunk)
          : undefined;
    if (!bytes) return;
    this.#size += bytes.length;
    if (this.#size <= recordedBodyBytesMax) this.#chunks.push(bytes);
    else this.#chunks = [];
  }

  get body(): RecordedBody {
    const isRecorded = this.#size <= recordedBodyBytesMax;
    return { size: this.#size, bytes: isRecorded ? Buffer.concat(this.#chunks) : undefined };
  }
}

/** Hears the arguments of a method before it is called. */
function onCall(object: object, name: string, hear: (...args: unknown[]) => void): void {
  const method: unknown = Reflect.get(object, name);
  if (typeof method !== 'function') throw new TypeError(`There is no method ${name}.`);
  Reflect.set(object, name, (...args: unknown[]): unknown => {
    hear(...args);
    return Reflect.apply(method, object, args);
  });
}

/** Those that were set before, and those given with the status, which replace them. */
function headersOf(response: ServerResponse, given: unknown): HeaderLine[] {
  const all = new Map<string, HeaderLine[]>();
  const put = (name: string, value: unknown): void => {
    const values = Array.isArray(value) ? value : [value];
    const lines = values.map((each) => ({ name, value: String(each) }));
    all.set(name.toLowerCase(), lines);
  };
  for (const [name, value] of Object.entries(response.getHeaders())) put(name, value);
  if (Array.isArray(given)) for (const { name, value } of pairs(given)) put(name, value);
  else if (typeof given === 'object' && given !== null) {
    for (const [name, value] of Object.entries(given)) put(name, value);
  }
  return [...all.values()].flat();
}

function pairs(raw: readonly unknown[]): HeaderLine[] {
  return Array.from({ length: Math.floor(raw.length / 2) }, (_, index) => ({
    name: String(raw[2 * index]),
    value: String(raw[2 * index + 1]),
  }));
}
