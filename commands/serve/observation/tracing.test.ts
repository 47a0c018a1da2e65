import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';

import { setForwarded } from '#platform/forwarded-request.ts';
import { createLog } from '#platform/log.ts';
import { currentSpan, type SpanReference, traced } from '#platform/tracing.ts';

import { openTracing, type Tracing } from './tracing.ts';

describe('a request whose trace is not sampled', () => {
  let tracing: Tracing;
  before(() => {
    const variables = { OTEL_TRACES_SAMPLER: 'parentbased_always_off' };
    tracing = openTracing(createLog('warn'), '0', () => true, variables);
  });
  after(() => tracing.close());

  /** What its work sees of its trace, in a span and after a turn of the event loop. */
  async function spansOf(
    traceparent?: string,
    forwarded?: SpanReference,
  ): Promise<(SpanReference | undefined)[]> {
    const request = new IncomingMessage(new Socket());
    if (forwarded) setForwarded(request, forwarded);
    if (traceparent !== undefined) request.headers.traceparent = traceparent;
    const { promise, resolve, reject } = Promise.withResolvers<(SpanReference | undefined)[]>();
    const work = async (): Promise<(SpanReference | undefined)[]> => {
      const inSpan = await traced('work', {}, async () => currentSpan());
      await new Promise((done) => setImmediate(done));
      return [inSpan, currentSpan()];
    };
    tracing.wrap(() => void work().then(resolve, reject))(request, new ServerResponse(request));
    return promise;
  }

  it('is one trace for all that it starts, which is passed on as not sampled', async () => {
    const [inSpan, later] = await spansOf();
    assert.match(inSpan?.traceId ?? '', /^[0-9a-f]{32}$/);
    assert.match(inSpan?.spanId ?? '', /^[0-9a-f]{16}$/);
    assert.equal(later?.traceId, inSpan?.traceId);
    assert.deepEqual([inSpan?.sampled, later?.sampled], [false, false]);
  });

  it('has a trace of its own', async () => {
    const [[one], [other]] = [await spansOf(), await spansOf()];
    assert.notEqual(one?.traceId, other?.traceId);
  });

  it('belongs to the sampled trace of a trusted peer', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const [inSpan] = await spansOf(`00-${traceId}-b7ad6b7169203331-01`);
    assert.deepEqual([inSpan?.traceId, inSpan?.sampled], [traceId, true]);
  });

  it('leaves nothing to the next one that the same event brings', async () => {
    const request = new IncomingMessage(new Socket());
    tracing.wrap(() => {})(request, new ServerResponse(request));
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const spans = await spansOf(`00-${traceId}-b7ad6b7169203331-01`);
    assert.deepEqual(
      spans.map((span) => [span?.traceId, span?.sampled]),
      [
        [traceId, true],
        [traceId, true],
      ],
    );
  });

  it('belongs to the trace of the node that forwarded it, whatever its client says', async () => {
    const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true };
    const [inSpan] = await spansOf(`00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`, span);
    assert.deepEqual([inSpan?.traceId, inSpan?.sampled], [span.traceId, true]);
  });

  it('passes an error of its work on', async () => {
    const request = new IncomingMessage(new Socket());
    const failed = new Promise((resolve) => {
      const work = async (): Promise<unknown> =>
        traced('work', {}, () => Promise.reject(new Error('refused'))).catch(resolve);
      tracing.wrap(() => void work())(request, new ServerResponse(request));
    });
    assert.match(String(await failed), /refused/);
  });
});
