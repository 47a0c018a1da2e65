import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { installTracer, type SpanReference } from '#platform/tracing.ts';

import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

describe("the operator's trace of a request", () => {
  let service: TestFunctions;
  let span: SpanReference | undefined;
  let uninstall: () => void;
  before(async () => {
    service = await createTestFunctions({});
    uninstall = installTracer({ span: (_name, _attributes, work) => work(), current: () => span });
    await service.create('f');
  });
  after(async () => {
    uninstall();
    await service.close();
  });

  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const root = 'Root=1-0af76519-16cd43dd8448eb211c80319c;Parent=b7ad6b7169203331';

  async function headerOf(type: string, sent = ''): Promise<string> {
    span = { traceId, spanId: 'b7ad6b7169203331', sampled: true };
    await service.send({
      method: 'POST',
      target: '/2015-03-31/functions/f/invocations',
      headers: {
        'x-amz-invocation-type': type,
        ...(sent === '' ? {} : { 'x-amzn-trace-id': sent }),
      },
      body: '{}',
    });
    // What runs later is no part of the request.
    span = undefined;
    await service.ports.events.poll();
    return service.environments.invoked.at(-1)?.event.traceHeader ?? '';
  }

  for (const type of ['RequestResponse', 'Event']) {
    it(`goes on in the function: ${type}`, async () => {
      assert.ok((await headerOf(type)).startsWith(root));
    });

    it(`gives way to the trace of the caller: ${type}`, async () => {
      const sent = 'Root=1-5e34a614-10bd0000000000000000a5a1;Sampled=0';
      assert.match(await headerOf(type, sent), /^Root=1-5e34a614-/);
    });
  }
});
