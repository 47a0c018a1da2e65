/**
 * Spans of what a request does, for the operator's tracing system. Nothing is traced, and nothing of it loaded, until a tracer is
 * installed (commands/serve/observation/tracing.ts); the names are those of OpenTelemetry.
 */

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Tracer {
  /** Runs work in a span, a child of the one in which this is called. A rejection marks the span as failed. */
  span<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
  /** The span in which this is called. */
  current(): SpanReference | undefined;
}

/** As W3C Trace Context has it: 32 and 16 lower-case hexadecimal digits. */
export interface SpanReference {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

let installed: Tracer | undefined;

/** For the whole process. Returns a function that ends it. */
export function installTracer(tracer: Tracer): () => void {
  installed = tracer;
  return () => {
    if (installed === tracer) installed = undefined;
  };
}

/** Runs work, in a span where there is a tracer. Neither name nor attributes may contain a secret. */
export function traced<T>(
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<T>,
): Promise<T> {
  return installed ? installed.span(name, attributes, work) : work();
}

export function currentSpan(): SpanReference | undefined {
  return installed?.current();
}
