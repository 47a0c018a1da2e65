import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { AlwaysOffSampler, AlwaysOnSampler, SamplingDecision } from '@opentelemetry/sdk-trace-node';

import { samplerFrom, TraceIds } from './sampler.ts';

/** A ratio of one half samples the first and not the second. */
const low = '0000000000000000000000000000001f';
const high = 'ffffffff000000000000000000000000';

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
      const sampler = samplerFrom({
        OTEL_TRACES_SAMPLER: name,
        OTEL_TRACES_SAMPLER_ARG: argument,
      });
      const samples = (traceId: string): boolean =>
        sampler.shouldSample(ROOT_CONTEXT, traceId, 'GET', SpanKind.SERVER, {}, []).decision ===
        SamplingDecision.RECORD_AND_SAMPLED;
      assert.deepEqual([samples(low), samples(high)], [samplesLow, samplesHigh]);
    });
  }
});

describe('the ids of traces', () => {
  it('are random', () => {
    const ids = new TraceIds(new AlwaysOnSampler());
    assert.match(ids.generateTraceId(), /^[0-9a-f]{32}$/);
    assert.notEqual(ids.generateTraceId(), ids.generateTraceId());
    assert.match(ids.generateSpanId(), /^[0-9a-f]{16}$/);
  });

  it('have the one that was sampled next, and that once', () => {
    const decided: string[] = [];
    const ids = new TraceIds({
      shouldSample(_context, traceId) {
        decided.push(traceId);
        return { decision: SamplingDecision.RECORD_AND_SAMPLED };
      },
    });
    assert.equal(ids.decide('GET'), undefined);
    assert.equal(ids.generateTraceId(), decided[0]);
    assert.notEqual(ids.generateTraceId(), decided[0]);
  });

  it('have none of a trace that is not sampled', () => {
    const ids = new TraceIds(new AlwaysOffSampler());
    const unsampled = ids.decide('GET');
    assert.ok(unsampled);
    assert.notEqual(ids.generateTraceId(), unsampled.traceId);
  });
});
