import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, describe, test } from 'node:test';

import { type FunctionService, startFunctionService } from './function-service.ts';
import { until } from './patience.ts';

/** As OTLP has it in JSON. */
interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status?: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpan = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${callerSpan}-01`;

describe('traces for the operator', () => {
  const spans: Span[] = [];
  const resources: string[] = [];
  let collector: Server;
  let service: FunctionService;

  before(async () => {
    collector = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      request.on('end', () => {
        for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
          resources.push(JSON.stringify(resource));
          for (const scope of scopeSpans) spans.push(...scope.spans);
        }
        response.setHeader('content-type', 'application/json').end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const address = collector.address();
    assert.ok(address !== null && typeof address === 'object');
    service = await startFunctionService({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${address.port}`,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
  });
  after(async () => {
    await service.stop();
    collector.close();
    collector.closeAllConnections();
  });

  const ask = (method: string, path: string, body?: object) =>
    fetch(`${service.server.url}/api/v3${path}`, {
      method,
      headers: { authorization: `token ${service.server.token}`, traceparent },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  /** The span of a request, once it has come. */
  const spanOf = (name: string): Promise<Span> =>
    until(async () => spans.find((span) => span.name === name));

  test('show a request under the trace of its caller, with its statements and git calls', async () => {
    const created = await ask('POST', '/user/repos', { name: 'traced', auto_init: true });
    assert.equal(created.status, 201);
    const span = await spanOf('POST /api/v3/user/repos');
    assert.equal(span.traceId, traceId);
    assert.equal(span.parentSpanId, callerSpan);
    const attributes = JSON.stringify(span.attributes);
    assert.match(attributes, /"http.response.status_code","value":{"intValue":201}/);
    assert.match(attributes, /repos\/create-for-authenticated-user/);
    const children = spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
    const names = new Set(children.map(({ name }) => name));
    for (const name of ['read transaction', 'write transaction', 'git create']) {
      assert.ok(names.has(name), `${name} in ${[...names].join(', ')}`);
    }
    assert.match(resources[0] ?? '', /deployment\.environment\.name.*"hob"/);
  });

  test('show the transfers of git', async () => {
    const { url, token } = service.server;
    const advertised = await fetch(`${url}/root/traced.git/info/refs?service=git-upload-pack`, {
      headers: { authorization: `Basic ${btoa(`root:${token}`)}`, traceparent },
    });
    assert.equal(advertised.status, 200);
    const request = await spanOf('GET /:owner/:repo/info/refs');
    const transfer = await spanOf('git advertise upload-pack');
    assert.equal(transfer.parentSpanId, request.spanId);
  });

  test('mark what failed, and contain nothing that a client sent', async () => {
    await ask('GET', '/repos/nobody/secret-name?token=secret-query');
    const span = await spanOf('GET /api/v3/repos/:owner/:repo');
    assert.match(JSON.stringify(span.attributes), /"intValue":404/);
    assert.doesNotMatch(JSON.stringify(spans), /secret-name|secret-query/);
  });

  test('reach the function, whose own spans can join them', async () => {
    await service.create('traced', {
      'index.mjs': 'export const handler = async () => process.env._X_AMZN_TRACE_ID;\n',
    });
    const { value } = await service.invoke('traced');
    const [, root = '', parent] = /^Root=1-([0-9a-f]{8}-[0-9a-f]{24});Parent=([0-9a-f]{16})/.exec(
      String(value),
    ) ?? ['', ''];
    const invoked = await until(async () =>
      spans.find(({ name, spanId }) => name === 'invoke function' && spanId === parent),
    );
    assert.equal(invoked.traceId, root.replace('-', ''));
    assert.ok(spans.some(({ name }) => name === 'open sandbox'));
  });
});
