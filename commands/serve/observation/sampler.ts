import { type Context, diag, ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';

/**
 * The sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG name (OpenTelemetry, General SDK Configuration). The SDK would read
 * them too, but it decides only after it has made most of a span.
 */
export function samplerFrom(variables: Readonly<Record<string, string | undefined>>): Sampler {
  const name = variables['OTEL_TRACES_SAMPLER']?.trim() || 'parentbased_always_on';
  const root = rootSampler(name.replace(/^parentbased_/, ''), variables['OTEL_TRACES_SAMPLER_ARG']);
  if (!root) {
    diag.warn(`OTEL_TRACES_SAMPLER names no sampler: ${name}. Every request is traced.`);
    return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  }
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, argument = ''): Sampler | undefined {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratioFrom(argument.trim()));
    default:
      return undefined;
  }
}

function ratioFrom(text: string): number {
  const ratio = Number(text);
  if (text !== '' && ratio >= 0 && ratio <= 1) return ratio;
  diag.warn(`OTEL_TRACES_SAMPLER_ARG must be from 0 to 1: ${text}. Every request is traced.`);
  return 1;
}

/** Random ids; that of the next trace may have been decided about before. */
export class TraceIds implements IdGenerator {
  readonly #sampler: Sampler;
  readonly #random = new RandomIdGenerator();
  #next: string | undefined;

  constructor(sampler: Sampler) {
    this.#sampler = sampler;
  }

  /** Begins the trace of a request: undefined where it is sampled, and the next span that has no parent is its first. */
  decide(method: string): UnsampledContext | undefined {
    const id = this.#random.generateTraceId();
    const { decision } = this.#sampler.shouldSample(
      ROOT_CONTEXT,
      id,
      method,
      SpanKind.SERVER,
      {},
      [],
    );
    if (decision === SamplingDecision.NOT_RECORD) return new UnsampledContext(id);
    this.#next = id;
    return undefined;
  }

  generateTraceId(): string {
    const id = this.#next ?? this.#random.generateTraceId();
    this.#next = undefined;
    return id;
  }

  generateSpanId(): string {
    return this.#random.generateSpanId();
  }
}

/** The context of a request whose trace is not sampled: nothing in it makes a span. */
export class UnsampledContext implements Context {
  readonly traceId: string;

  constructor(traceId: string) {
    this.traceId = traceId;
  }

  getValue(): undefined {}

  setValue(key: symbol, value: unknown): Context {
    return ROOT_CONTEXT.setValue(key, value);
  }

  deleteValue(): Context {
    return this;
  }
}
