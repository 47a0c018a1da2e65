import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { createTraceCollector } from './traces.ts';
import { readTraceHeader } from '../logs/trace-header.ts';

const root = '1-5e34a614-10bd0000000000000000a5a1';
const parent = '07f5000000000085';

/** What a function was given, and the segments that were posted. */
describe('traces', () => {
  let service: TestFunctions;
  const segments: Record<string, unknown>[] = [];
  const collector = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += String(piece)));
    request.on('end', () => {
      assert.equal(request.url, '/TraceSegments');
      const documents: string[] = JSON.parse(body).TraceSegmentDocuments;
      segments.push(...documents.map((text): Record<string, unknown> => JSON.parse(text)));
      response.writeHead(200, { connection: 'close' }).end('{}');
      collector.emit('reported');
    });
  });

  beforeEach(async () => {
    segments.length = 0;
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    service = await createTestFunctions({
      configured: { traceCollector: `http://127.0.0.1:${portOf(collector.address())}` },
    });
  });
  afterEach(async () => {
    await service.close();
    await new Promise((resolve) => collector.close(resolve));
  });

  const reported = (): Promise<void> =>
    new Promise((resolve) => collector.once('reported', resolve));

  async function headerFor(name: string, given?: string): Promise<string> {
    const answer = await service.send({
      method: 'POST',
      target: `/2015-03-31/functions/${name}/invocations`,
      headers: given === undefined ? {} : { 'x-amzn-trace-id': given },
      body: '{}',
    });
    assert.equal(answer.status, 200);
    return service.environments.invoked.at(-1)?.event.traceHeader ?? '';
  }

  it('are only passed on when nothing else is asked for', async () => {
    await service.create('f');
    const given = `Root=${root};Parent=${parent};Sampled=1;Self=x`;
    const passed = await headerFor('f', `${given};Lineage=a87bd80c:3`);
    assert.ok(passed.startsWith(`${given};Lineage=a87bd80c:3|`), passed);
    assert.match(passed, /\|[0-9a-f]{8}:1$/);
    for (const unusable of [undefined, 'nonsense', `Root=${root}${'x'.repeat(2000)}`]) {
      const made = readTraceHeader(await headerFor('f', unusable));
      assert.notEqual(made.root, root);
      assert.match(made.root ?? '', /^1-[0-9a-f]{8}-[0-9a-f]{24}$/);
      assert.equal(made.sampled, false);
    }
    assert.deepEqual(segments, []);
  });

  it('follow the decision of the caller when they are active', async () => {
    await service.create('f', { TracingConfig: { Mode: 'Active' } });
    const not = readTraceHeader(await headerFor('f', `Root=${root};Parent=${parent};Sampled=0`));
    assert.equal(not.root, root);
    assert.equal(not.sampled, false);
    const posted = reported();
    const header = readTraceHeader(await headerFor('f', `Root=${root};Parent=${parent};Sampled=1`));
    assert.equal(header.sampled, true);
    assert.notEqual(header.parent, parent);
    await posted;
    const [asked, ran, ...more] = segments;
    assert.equal(more.length, 0);
    assert.equal(asked?.['origin'], 'AWS::Lambda');
    assert.equal(asked?.['trace_id'], root);
    assert.equal(asked?.['parent_id'], parent);
    assert.equal(ran?.['origin'], 'AWS::Lambda::Function');
    assert.equal(ran?.['parent_id'], asked?.['id']);
    assert.equal(ran?.['id'], header.parent);
    assert.equal(ran?.['fault'], undefined);
  });

  it('sample the first invocation of a second, and few of the others', async () => {
    await service.create('f', { TracingConfig: { Mode: 'Active' } });
    let sampled = 0;
    for (let count = 0; count < 60; count += 1) {
      const header = readTraceHeader(await headerFor('f', `Root=${root}`));
      if (header.sampled === true) sampled += 1;
      if (count === 0) assert.equal(sampled, 1);
    }
    assert.ok(sampled < 25, `${sampled} of 60 were sampled`);
    service.clock.advance(1000);
    assert.equal(readTraceHeader(await headerFor('f')).sampled, true);
  });

  it('reach a daemon by datagrams, and a daemon that is away is reported once', async () => {
    const daemon = createSocket('udp4');
    await new Promise<void>((resolve) => daemon.bind(0, '127.0.0.1', resolve));
    const heard = new Promise<string>((resolve) => {
      daemon.once('message', (bytes) => resolve(bytes.toString()));
    });
    const errors: unknown[] = [];
    const sender = createTraceCollector(`udp://127.0.0.1:${daemon.address().port}`, (error) =>
      errors.push(error),
    );
    sender.post({ id: '1' });
    assert.equal(await heard, '{"format": "json", "version": 1}\n{"id":"1"}');
    await sender.close();
    daemon.close();

    const away = createTraceCollector('http://127.0.0.1:1', (error) => errors.push(error));
    away.post({ id: '1' });
    await new Promise(setImmediate);
    away.post({ id: '2' });
    await away.close();
    assert.ok(errors.length <= 1);
  });
});

function portOf(address: AddressInfo | string | null): number {
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}
