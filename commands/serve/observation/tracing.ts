import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import {
  type Context,
  context,
  diag,
  DiagLogLevel,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { atMost } from '#platform/at-most.ts';
import { forwardedSpan } from '#platform/forwarded-request.ts';
import type { Log } from '#platform/log.ts';
import { onResponseEnd } from '#platform/response-end.ts';
import { installTracer } from '#platform/tracing.ts';

import { routeOf } from './observe-requests.ts';
import { parseSampling, samplerOf, TraceIds } from './sampler.ts';

/**
 * Traces every request: its span is the parent of those of statements, git calls, sandboxes and invocations. Only a trusted peer says
 * which trace a request belongs to, and whether it is sampled.
 */
export interface Tracing {
  readonly wrap: (next: RequestListener) => RequestListener;
  /** Names spans by their routes. */
  readonly nameSpans: (application: FastifyInstance) => void;
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
}

/** Of the request whose work this is, where its trace is not sampled: nothing in it makes a span. */
const unsampled = new AsyncLocalStorage<UnsampledTrace>();

interface UnsampledTrace {
  /** Made when it is first asked for: most requests pass no trace on. */
  id: string | undefined;
}

/** Time that the end of a server waits for a collector of traces. */
const flushMilliseconds = 3000;

/**
 * Sends spans to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names, as OTLP over HTTP with JSON. The SDK reads that variable and
 * others of the OpenTelemetry specification, such as OTEL_RESOURCE_ATTRIBUTES, by itself; the sampler is made of these variables.
 */
export function openTracing(
  log: Log,
  version: string,
  isTrusted: (request: IncomingMessage) => boolean,
  variables: Readonly<Record<string, string | undefined>>,
): Tracing {
  diag.setLogger(
    {
      error: (message, ...details) => log.warn({ details: details.map(String) }, message),
      warn: (message, ...details) => log.warn({ details: details.map(String) }, message),
      info: () => {},
      debug: () => {},
      verbose: () => {},
    },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const sampling = parseSampling(variables);
  const ids = new TraceIds(sampling.ratio);
  const provider = new NodeTracerProvider({
    sampler: samplerOf(sampling),
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.name': 'hob', 'service.version': version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter(), { exportTimeoutMillis: flushMilliseconds }),
    ],
  });
  provider.register();
  const tracer = provider.getTracer('hob', version);
  const uninstall = installSpans(tracer, ids);
  const spans = new WeakMap<IncomingMessage, Span>();
  return {
    wrap: (next) => (request, response) => {
      const method = request.method ?? 'GET';
      const parent = parentOf(request, isTrusted);
      if (parent === ROOT_CONTEXT && !ids.begin()) {
        // Not `run`, which costs twice as much: nothing follows in the event that brings a request.
        unsampled.enterWith({ id: undefined });
        next(request, response);
        return;
      }
      const span = tracer.startSpan(
        method,
        { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
        parent,
      );
      // One that is not sampled has nothing to report.
      if (span.isRecording()) {
        spans.set(request, span);
        onResponseEnd(response, () => end(span, response));
      }
      unsampled.exit(() =>
        context.with(trace.setSpan(parent, span), next, undefined, request, response),
      );
    },
    nameSpans(application) {
      application.addHook('onRequest', (request, _reply, done) => {
        const span = spans.get(request.raw);
        if (span) describeRequest(span, request);
        done();
      });
    },
    async close() {
      uninstall();
      await atMost(
        flushMilliseconds,
        provider.shutdown().catch(() => {}),
      );
      trace.disable();
      context.disable();
      propagation.disable();
      diag.disable();
    },
  };
}

function describeRequest(span: Span, request: FastifyRequest): void {
  const { service, operation, pattern } = routeOf(request);
  span.updateName(`${request.method} ${pattern ?? '(no route)'}`);
  span.setAttributes({
    'hob.service': service,
    'hob.operation': operation,
    'hob.request_id': request.id,
    ...(pattern === undefined ? {} : { 'http.route': pattern }),
  });
}

/** Without a status: the client left before the response was complete. */
function end(span: Span, { writableFinished, statusCode }: ServerResponse): void {
  if (writableFinished) span.setAttribute('http.response.status_code', statusCode);
  if (!writableFinished || statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** What a request does becomes spans of its trace. Returns a function that ends it. */
function installSpans(tracer: Tracer, ids: TraceIds): () => void {
  return installTracer({
    span(name, attributes, work) {
      if (unsampled.getStore()) return work();
      return tracer.startActiveSpan(name, { attributes }, async (span) => {
        try {
          return await work();
        } catch (error) {
          // Its text may contain what a client sent.
          span.setStatus({ code: SpanStatusCode.ERROR });
          span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
          throw error;
        } finally {
          span.end();
        }
      });
    },
    current() {
      const notSampled = unsampled.getStore();
      if (notSampled) {
        notSampled.id ??= ids.unsampled();
        return { traceId: notSampled.id, spanId: ids.generateSpanId(), sampled: false };
      }
      const span = trace.getActiveSpan()?.spanContext();
      return span && { ...span, sampled: (span.traceFlags & 1) === 1 };
    },
  });
}

/** The context of the node that forwarded the request, or that a trusted peer named. */
function parentOf(
  request: IncomingMessage,
  isTrusted: (request: IncomingMessage) => boolean,
): Context {
  const forwarded = forwardedSpan(request);
  if (forwarded) {
    const { traceId, spanId, sampled } = forwarded;
    const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  }
  const { traceparent } = request.headers;
  if (traceparent === undefined || !isTrusted(request)) return ROOT_CONTEXT;
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}
