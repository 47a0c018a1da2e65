import { createSocket } from 'node:dgram';

import type { Clock } from '#platform/clock.ts';
import { present } from '#platform/present.ts';
import type { Random } from '#platform/random.ts';

import { postJson } from '../configured-resources/endpoint-request.ts';
import type { VersionSpec } from '../environments/version-spec.ts';
import { readTraceHeader, withLineage, writeTraceHeader } from '../logs/trace-header.ts';
import { functionArn, type AccountRegion } from '../model/function-name.ts';

/** The trace that an invocation belongs to. */
interface Trace {
  /** The header that the function receives. */
  readonly header: string;
  /** Sends it to the collector if it was sampled; never waits. */
  end(invocation: { readonly requestId: string; readonly failed: boolean }): void;
}

interface TracesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly accountRegion: AccountRegion;
  readonly collector: TraceCollector;
}

/** Trace header of a caller that is passed on. */
const headerCharactersMax = 1024;

/** Creates the trace of each invocation, according to the function's TracingConfig. */
export class Traces {
  readonly #options: TracesOptions;
  readonly #sampler: Sampler;

  constructor(options: TracesOptions) {
    this.#options = options;
    this.#sampler = new Sampler(options.clock, options.random);
  }

  /** `given` is the caller's header, `lineage` its chain of requests including this invocation. */
  begin(spec: VersionSpec, given: string | undefined, lineage: string): Trace {
    const { clock, random } = this.#options;
    const incoming =
      given === undefined || given.length > headerCharactersMax
        ? undefined
        : readTraceHeader(given);
    if (spec.configuration.TracingConfig.Mode === 'PassThrough') {
      const header =
        given !== undefined && incoming?.root !== undefined
          ? withLineage(given, lineage)
          : writeTraceHeader(
              { root: newTraceRoot(clock, random), parent: newSegmentId(random), sampled: false },
              lineage,
            );
      return { header, end: () => {} };
    }
    const root = incoming?.root ?? newTraceRoot(clock, random);
    const sampled = incoming?.sampled ?? this.#sampler.chooses(spec.functionName);
    const id = newSegmentId(random);
    const header = writeTraceHeader({ root, parent: id, sampled }, lineage);
    if (!sampled) return { header, end: () => {} };
    const segment = { root, id, parent: incoming?.parent, at: clock.now() };
    return { header, end: (invocation) => this.#post(spec, segment, invocation) };
  }

  /** Two segments, as on AWS: the service that was called, and the function that it ran. */
  #post(
    { functionName, version }: VersionSpec,
    segment: { root: string; id: string; parent: string | undefined; at: number },
    { requestId, failed }: { requestId: string; failed: boolean },
  ): void {
    const { clock, random, accountRegion, collector } = this.#options;
    const serviceId = newSegmentId(random);
    const arn = functionArn(accountRegion, functionName);
    const both = {
      name: functionName,
      trace_id: segment.root,
      start_time: segment.at / 1000,
      end_time: clock.now() / 1000,
      ...(failed ? { fault: true } : {}),
    };
    collector.post({
      ...both,
      id: serviceId,
      ...present({ parent_id: segment.parent }),
      origin: 'AWS::Lambda',
      resource_arn: arn,
      http: { response: { status: 200 } },
      aws: { request_id: requestId },
    });
    collector.post({
      ...both,
      id: segment.id,
      parent_id: serviceId,
      origin: 'AWS::Lambda::Function',
      aws: {
        function_arn: functionArn(accountRegion, functionName, version),
        request_id: requestId,
      },
    });
  }
}

/** The root of a new trace: `1-<seconds>-<96 bits>`. */
function newTraceRoot(clock: Clock, random: Random): string {
  const seconds = Math.floor(clock.now() / 1000)
    .toString(16)
    .padStart(8, '0');
  return `1-${seconds}-${random.bytes(12).toString('hex')}`;
}

function newSegmentId(random: Random): string {
  return random.bytes(8).toString('hex');
}

/** The sampled share of a function's invocations after the first in a second. */
const fraction = 0.05;

/** Functions whose last sampled second is remembered. */
const functionsMax = 2000;

/** Samples the first invocation of each function in a second, and one in twenty of the others. */
class Sampler {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #seconds = new Map<string, number>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  chooses(functionName: string): boolean {
    const second = Math.floor(this.#clock.now() / 1000);
    if (this.#seconds.get(functionName) === second) return this.#random.fraction() < fraction;
    if (this.#seconds.size >= functionsMax) this.#seconds.clear();
    this.#seconds.set(functionName, second);
    return true;
  }
}

/** Receives the segments of traced invocations; it may lose some, but callers never wait for it. */
interface TraceCollector {
  post(segment: object): void;
  close(): Promise<void>;
}

/** Trace segments that wait for a slow collector; more are dropped. */
const waitingMax = 1000;

/** Trace segments of one request to a collector. */
const batchMax = 50;

/** `url` is `udp://host:port` of an X-Ray daemon, or the endpoint of the service; undefined: no segments are sent. */
export function createTraceCollector(
  url: string | undefined,
  onError: (error: unknown) => void,
): TraceCollector {
  if (url === undefined) return { post() {}, close: async () => {} };
  return url.startsWith('udp:')
    ? datagrams(new URL(url), quieted(onError))
    : requests(url, quieted(onError));
}

/** The header that a daemon expects before each segment. */
const preamble = '{"format": "json", "version": 1}\n';

function datagrams({ hostname, port }: URL, onSent: OnSent): TraceCollector {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4').unref();
  socket.on('error', onSent);
  return {
    post(segment) {
      socket.send(preamble + JSON.stringify(segment), Number(port || 2000), host, onSent);
    },
    close: () =>
      new Promise((resolve) => {
        socket.close(() => resolve());
      }),
  };
}

function requests(url: string, onSent: OnSent): TraceCollector {
  const address = `${url.replace(/\/+$/, '')}/TraceSegments`;
  const stop = new AbortController();
  const waiting: string[] = [];
  let sending: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    // Segments of the same turn are sent together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const body = JSON.stringify({ TraceSegmentDocuments: waiting.splice(0, batchMax) });
      await postJson(address, body, stop.signal).then(() => onSent(null), onSent);
    }
    sending = undefined;
  }

  return {
    post(segment) {
      if (stop.signal.aborted || waiting.length >= waitingMax) return;
      waiting.push(JSON.stringify(segment));
      sending ??= sendAll();
    },
    async close() {
      waiting.length = 0;
      stop.abort();
      await sending;
    },
  };
}

type OnSent = (error: unknown) => void;

/** An unavailable collector is reported once, not with every invocation. */
function quieted(onError: (error: unknown) => void): OnSent {
  let away = false;
  return (error) => {
    const failed = error !== null && error !== undefined;
    if (failed && !away) onError(error);
    away = failed;
  };
}
