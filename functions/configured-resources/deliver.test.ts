import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { inspect } from 'node:util';

import { Secret } from '../keys/secret.ts';
import { signRequest as signAsClients } from '../signing/testing/sign-request.ts';
import { noConfiguredResources, type EventTarget } from './configured-resources.ts';
import { deliver } from './deliver.ts';
import type { Message } from './endpoint-request.ts';

const arn = (service: string): string => `arn:aws:${service}:us-east-1:123456789012:failed`;

const at = Date.UTC(2026, 0, 2, 3, 4, 5);
const key = { id: 'AKIDEXAMPLE', secret: 'very-secret' };

const message: Message = {
  id: 'r-1',
  body: '{ "a" : 1 }',
  attributes: {
    RequestID: { type: 'String', value: 'r-1' },
    ErrorCode: { type: 'Number', value: '200' },
  },
  detailType: 'Lambda Function Invocation Result - Failure',
  resources: ['arn:of:function'],
};

describe('delivering to configured resources', () => {
  let folder = '';
  let url = '';
  let status = 200;
  const received: { path: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += String(piece)));
    request.on('end', () => {
      received.push({ path: request.url, headers: request.headers, body });
      response.writeHead(status, { connection: 'close', location: '/elsewhere' }).end('{}');
    });
  });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-deliver-'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    status = 200;
    received.length = 0;
  });
  after(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  async function send(
    target: EventTarget,
    service = 'sqs',
    signal: AbortSignal = new AbortController().signal,
    given: Message = message,
  ): Promise<void> {
    const configured = { ...noConfiguredResources, targets: new Map([[arn(service), target]]) };
    await deliver(configured, arn(service), given, { at, signal });
  }

  it('fails for what is not declared', async () => {
    const { signal } = new AbortController();
    await assert.rejects(
      deliver(noConfiguredResources, arn('sqs'), message, { at, signal }),
      /arn:aws:sqs:.* is not declared on this server/,
    );
  });

  it('fails when the receiver refuses, sends elsewhere or is not there', async () => {
    for (const answer of [500, 302, 404]) {
      status = answer;
      await assert.rejects(send({ kind: 'http', url }), new RegExp(`answered ${answer}`));
    }
    await assert.rejects(send({ kind: 'http', url: 'http://127.0.0.1:1' }), /did not respond: ./);
    await assert.rejects(
      send({ kind: 'http', url }, 'sqs', AbortSignal.abort()),
      /did not respond/,
    );
    assert.equal(received.length, 3);
  });

  it('opens no link in its folder, which a function may share', async () => {
    const inbox = join(folder, 'shared');
    await send({ kind: 'folder', folder: inbox });
    const [name = ''] = await readdir(inbox);
    const outside = join(folder, 'outside');
    await writeFile(outside, 'as it was');
    await symlink(outside, join(inbox, `.${name.replace(/json$/, 'part')}`));
    await send({ kind: 'folder', folder: inbox });
    assert.equal(await readFile(outside, 'utf8'), 'as it was');
    assert.deepEqual(await readdir(inbox), [name]);
  });

  it('puts a file into a folder, once for a message', async () => {
    const inbox = join(folder, 'a/b');
    await send({ kind: 'folder', folder: inbox });
    await send({ kind: 'folder', folder: inbox });
    const names = await readdir(inbox);
    assert.equal(names.length, 1);
    assert.match(names[0] ?? '', /^r-1-[0-9a-f]{16}\.json$/);
    const { id, body, attributes } = message;
    assert.deepEqual(JSON.parse(await readFile(join(inbox, names[0] ?? ''), 'utf8')), {
      target: arn('sqs'),
      id,
      attributes,
      body,
    });
  });

  it('puts both messages about a failed event into one folder', async () => {
    const inbox: EventTarget = { kind: 'folder', folder: join(folder, 'both') };
    const record: Message = { ...message, body: '{"version":"1.0"}', attributes: {} };
    await Promise.all([send(inbox), send(inbox, 'sqs', undefined, record)]);
    const names = await readdir(inbox.folder);
    const texts = await Promise.all(
      names.map((name) => readFile(join(inbox.folder, name), 'utf8')),
    );
    const bodies = texts.map((text): unknown => JSON.parse(text).body);
    assert.deepEqual(new Set(bodies), new Set([message.body, record.body]));
  });

  it('posts the same to a URL', async () => {
    await send({ kind: 'http', url: `${url}/in` });
    assert.equal(received[0]?.path, '/in');
    assert.equal(received[0]?.headers['content-type'], 'application/json');
    assert.equal(JSON.parse(received[0]?.body ?? '').body, message.body);
  });

  it('signs what it sends where there is a key, and shows the key to no one', async () => {
    const target = { key: new Secret(key), url: `${url}/in` } as const;
    const { signal } = new AbortController();
    const traceHeader = 'Root=1-5e34a614-10bd0000000000000000a5a1';
    for (const service of ['sqs', 'sns', 'events']) {
      for (const kind of ['endpoint', 'http'] as const) {
        received.length = 0;
        await send({ ...target, kind }, service, signal, { ...message, traceHeader });
        const [{ headers, body, path } = {}] = received;
        const signed = headers?.authorization?.match(/SignedHeaders=([^,]+)/)?.[1]?.split(';');
        assert.deepEqual(
          signed,
          headers?.['x-amz-target'] === undefined
            ? ['content-type', 'host', 'x-amz-date']
            : ['content-type', 'host', 'x-amz-date', 'x-amz-target'],
        );
        const expected = signAsClients(
          {
            method: 'POST',
            target: path ?? '',
            headers: Object.fromEntries(
              signed
                .filter((name) => name !== 'x-amz-date')
                .map((name) => [name, String(headers?.[name])]),
            ),
            body: body ?? '',
          },
          {
            accessKeyId: key.id,
            secretAccessKey: key.secret,
            time: '20260102T030405Z',
            service,
          },
        );
        assert.equal(headers?.authorization, expected.rawHeaders.at(-1));
      }
    }
    status = 403;
    for (const away of [target, { ...target, url: 'http://127.0.0.1:1' }]) {
      await assert.rejects(send({ ...away, kind: 'endpoint' }), (error) => {
        assert.doesNotMatch(inspect({ error, away }, { depth: 9 }), /very-secret|AKID|Signature/);
        return true;
      });
    }
    assert.doesNotMatch(JSON.stringify(target), /very-secret|AKID/);
  });

  it('signs nothing where there is none', async () => {
    await send({ kind: 'endpoint', url });
    assert.equal(received[0]?.headers.authorization, undefined);
    assert.equal(received[0]?.headers['x-amz-date'], undefined);
  });

  it('passes on the trace, so that a loop through the receiver can be detected', async () => {
    const traceHeader = 'Root=1-5e34a614-10bd0000000000000000a5a1;Sampled=0;Lineage=a87bd80c:3';
    const { signal } = new AbortController();
    const traced = { ...message, traceHeader };
    await send({ kind: 'http', url }, 'sqs', signal, traced);
    for (const service of ['sqs', 'sns', 'events']) {
      await send({ kind: 'endpoint', url }, service, signal, traced);
    }
    for (const { headers } of received) assert.equal(headers['x-amzn-trace-id'], traceHeader);
    const [posted, queued, , put] = received.map(({ body }) => body);
    assert.equal('traceHeader' in JSON.parse(posted ?? ''), false);
    assert.deepEqual(JSON.parse(queued ?? '').MessageSystemAttributes, {
      AWSTraceHeader: { DataType: 'String', StringValue: traceHeader },
    });
    assert.equal(JSON.parse(put ?? '').Entries[0].TraceHeader, traceHeader);
  });

  it('speaks the protocol of queues', async () => {
    await send({ kind: 'endpoint', url: `${url}/` });
    assert.equal(received[0]?.headers['x-amz-target'], 'AmazonSQS.SendMessage');
    assert.deepEqual(JSON.parse(received[0]?.body ?? ''), {
      QueueUrl: `${url}/123456789012/failed`,
      MessageBody: message.body,
      MessageAttributes: {
        RequestID: { DataType: 'String', StringValue: 'r-1' },
        ErrorCode: { DataType: 'Number', StringValue: '200' },
      },
    });
  });

  it('speaks the protocol of topics', async () => {
    await send({ kind: 'endpoint', url }, 'sns');
    const form = Object.fromEntries(new URLSearchParams(received[0]?.body));
    assert.equal(form['Action'], 'Publish');
    assert.equal(form['TopicArn'], arn('sns'));
    assert.equal(form['Message'], message.body);
    assert.equal(form['MessageAttributes.entry.2.Name'], 'ErrorCode');
    assert.equal(form['MessageAttributes.entry.2.Value.StringValue'], '200');
  });

  it('speaks the protocol of event buses', async () => {
    await send({ kind: 'endpoint', url }, 'events');
    assert.equal(received[0]?.headers['x-amz-target'], 'AWSEvents.PutEvents');
    assert.deepEqual(JSON.parse(received[0]?.body ?? ''), {
      Entries: [
        {
          Source: 'lambda',
          DetailType: message.detailType,
          Detail: message.body,
          Resources: [arn('events'), 'arn:of:function'],
          EventBusName: arn('events'),
        },
      ],
    });
  });
});
