import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace-node';

import { parseSampling, samplerOf, TraceIds } from './sampler.ts';

/** A ratio of one half samples the first and not the second. */
const low = 'ffffffffffffffffffffffff7fffffff';
const high = '0000000000000000000000ff80000000';

describe('the sampler of OTEL_TRACES_SAMPLER', () => {
  for (const [name, argument, samplesLow, samplesHigh] of [
    [undefined, undefined, true, true],
    ['', undefined, true, true],
    ['always_on', undefined, true, true],
    ['always_off', undefined, false, false],
    ['parentbased_always_on', undefined, true, true],
    ['parentbased_always_off', undefined, false, false],
    ['traceidratio', '0.5', true, false],
    ['parentbased_traceidratio', '0.5', true, false],
    ['parentbased_traceidratio', '0', false, false],
    ['parentbased_traceidratio', ' 1 ', true, true],
    // As the specification has it: what is invalid is ignored.
    ['parentbased_traceidratio', '', true, true],
    ['parentbased_traceidratio', '-1', true, true],
    ['traceidratio', 'half', true, true],
    ['jaeger_remote', 'http://127.0.0.1', true, true],
    ['parentbased_nothing', undefined, true, true],
  ] as const) {
    it(`decides by ${name} with ${argument}`, () => {
      const variables = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument };
      const sampler = samplerOf(parseSampling(variables));
      const samples = (traceId: string): boolean =>
        sampler.shouldSample(ROOT_CONTEXT, traceId, 'GET', SpanKind.SERVER, {}, []).decision ===
        SamplingDecision.RECORD_AND_SAMPLED;
      assert.deepEqual([samples(low), samples(high)], [samplesLow, samplesHigh]);
    });
  }
});

describe('a sampler', () => {
  it('follows a parent that is sampled where it is based on parents, and only there', () => {
    const spanContext = {
      traceId: high,
      spanId: '00f067aa0ba902b7',
      traceFlags: TraceFlags.SAMPLED,
    };
    const parent = trace.setSpanContext(ROOT_CONTEXT, { ...spanContext, isRemote: true });
    const decisions = ['parentbased_always_off', 'always_off'].map((name) =>
      samplerOf(parseSampling({ OTEL_TRACES_SAMPLER: name })).shouldSample(
        parent,
        high,
        'GET',
        SpanKind.SERVER,
        {},
        [],
      ),
    );
    assert.deepEqual(
      decisions.map(({ decision }) => decision),
      [SamplingDecision.RECORD_AND_SAMPLED, SamplingDecision.NOT_RECORD],
    );
  });
});

describe('the ids of traces', () => {
  it('are random', () => {
    const ids = new TraceIds(1);
    assert.match(ids.generateTraceId(), /^[0-9a-f]{32}$/);
    assert.notEqual(ids.generateTraceId(), ids.generateTraceId());
    assert.match(ids.generateSpanId(), /^[0-9a-f]{16}$/);
  });

  it('agree with the sampler: of those that are begun, a ratio is sampled', () => {
    const sampling = { ratio: 0.25, parentBased: true };
    const sampler = samplerOf(sampling);
    const ids = new TraceIds(sampling.ratio);
    let sampled = 0;
    for (let begun = 0; begun < 2000; begun += 1) {
      const isSampled = ids.begin();
      const id = isSampled ? ids.generateTraceId() : ids.unsampled();
      assert.match(id, /^[0-9a-f]{32}$/);
      const { decision } = sampler.shouldSample(ROOT_CONTEXT, id, 'GET', SpanKind.SERVER, {}, []);
      assert.equal(decision === SamplingDecision.RECORD_AND_SAMPLED, isSampled);
      if (isSampled) sampled += 1;
    }
    // Six standard deviations around 500.
    assert.ok(sampled > 380 && sampled < 620, `${sampled} of 2000`);
  });

  it('have the one that was begun next, and that once', () => {
    const ids = new TraceIds(1);
    const decided = Array.from({ length: 2 }, () => {
      assert.ok(ids.begin());
      return ids.generateTraceId();
    });
    assert.equal(new Set([...decided, ids.generateTraceId()]).size, 3);
  });

  for (const [ratio, sampled] of [
    [0, 0],
    [Number.MIN_VALUE, 0],
    [1, 100],
  ] as const) {
    it(`have ${sampled} of 100 traces sampled with a ratio of ${ratio}`, () => {
      const ids = new TraceIds(ratio);
      const begun = Array.from({ length: 100 }, () => ids.begin());
      assert.equal(begun.filter(Boolean).length, sampled);
    });
  }
});
