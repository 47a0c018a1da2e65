import { type Context, diag } from '@opentelemetry/api';
import {
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
} from '@opentelemetry/sdk-trace-node';

import { systemRandom } from '#platform/random.ts';

/**
 * What OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG ask for (OpenTelemetry, General SDK Configuration): which share of the traces that
 * begin here is sampled, and whether the peer that a trace comes from decides for it.
 */
export interface Sampling {
  readonly ratio: number;
  readonly parentBased: boolean;
}

/** What is invalid is ignored, with a warning, as the specification has it. */
export function parseSampling(variables: Readonly<Record<string, string | undefined>>): Sampling {
  const name = variables['OTEL_TRACES_SAMPLER']?.trim() || 'parentbased_always_on';
  const ratio = ratioOf(name.replace(/^parentbased_/, ''), variables['OTEL_TRACES_SAMPLER_ARG']);
  if (ratio !== undefined) return { ratio, parentBased: name.startsWith('parentbased_') };
  diag.warn(`OTEL_TRACES_SAMPLER names no sampler: ${name}. Every request is traced.`);
  return { ratio: 1, parentBased: true };
}

function ratioOf(name: string, argument = ''): number | undefined {
  switch (name) {
    case 'always_on':
      return 1;
    case 'always_off':
      return 0;
    case 'traceidratio':
      return parseRatio(argument.trim());
    default:
      return undefined;
  }
}

function parseRatio(text: string): number {
  const ratio = Number(text);
  if (text !== '' && ratio >= 0 && ratio <= 1) return ratio;
  diag.warn(`OTEL_TRACES_SAMPLER_ARG must be from 0 to 1: ${text}. Every request is traced.`);
  return 1;
}

export function samplerOf({ ratio, parentBased }: Sampling): Sampler {
  const root = new RatioSampler(ratio);
  return parentBased ? new ParentBasedSampler({ root }) : root;
}

const words = 2 ** 32;
const wordDigits = 8;

/**
 * Decides by the last 32 bits of the trace id, which are random (W3C Trace Context), so that servers with the same ratio decide alike. The
 * SDK's own sampler needs the whole id, which costs more than everything else that a trace costs which is not sampled.
 */
class RatioSampler implements Sampler {
  readonly #ratio: number;

  constructor(ratio: number) {
    this.#ratio = ratio;
  }

  shouldSample(_context: Context, traceId: string): SamplingResult {
    const samples = isSampled(Number.parseInt(traceId.slice(-wordDigits), 16), this.#ratio);
    return {
      decision: samples ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    };
  }

  toString(): string {
    return `RatioSampler{${this.#ratio}}`;
  }
}

function isSampled(lastWord: number, ratio: number): boolean {
  return lastWord < ratio * words;
}

/** Random ids; that of the next trace may have been decided about before. */
export class TraceIds implements IdGenerator {
  readonly #ratio: number;
  readonly #random = new RandomIdGenerator();
  #unsampledLeft: number;
  #next: string | undefined;

  constructor(ratio: number) {
    this.#ratio = ratio;
    this.#unsampledLeft = unsampledBeforeNext(ratio);
  }

  /** Begins a trace: whether it is sampled. If so, the next span that has no parent is its first. */
  begin(): boolean {
    if (this.#unsampledLeft > 0) {
      this.#unsampledLeft -= 1;
      return false;
    }
    this.#unsampledLeft = unsampledBeforeNext(this.#ratio);
    this.#next = this.#endingIn(0, Math.ceil(this.#ratio * words));
    return true;
  }

  /** An id that the sampler refuses. */
  unsampled(): string {
    return this.#endingIn(Math.ceil(this.#ratio * words), words);
  }

  generateTraceId(): string {
    const id = this.#next ?? this.#random.generateTraceId();
    this.#next = undefined;
    return id;
  }

  generateSpanId(): string {
    return this.#random.generateSpanId();
  }

  /** An id whose last word is from `least` up to, not including, `end`. */
  #endingIn(least: number, end: number): string {
    const lastWord = least + Math.floor(systemRandom.fraction() * (end - least));
    const digits = lastWord.toString(16).padStart(wordDigits, '0');
    return this.#random.generateTraceId().slice(0, -wordDigits) + digits;
  }
}

/**
 * How many traces begin before the next that is sampled, as if each were decided by a random number of its own (geometric distribution),
 * which would cost every request more than the rest of its trace.
 */
function unsampledBeforeNext(ratio: number): number {
  if (ratio === 0) return Infinity;
  return Math.floor(Math.log(1 - systemRandom.fraction()) / Math.log1p(-ratio));
}
