import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';

import { nothingDeclared, type EventTarget } from './declared-resources.ts';
import { deliver } from './deliver.ts';
import type { Message } from './message.ts';

const arn = (service: string): string => `arn:aws:${service}:us-east-1:123456789012:failed`;

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

describe('delivering to declared resources', () => {
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
  ): Promise<void> {
    const declared = { ...nothingDeclared, targets: new Map([[arn(service), target]]) };
    await deliver(declared, arn(service), message, signal);
  }

  it('fails for what is not declared', async () => {
    const { signal } = new AbortController();
    await assert.rejects(
      deliver(nothingDeclared, arn('sqs'), message, signal),
      /arn:aws:sqs:.* is not declared on this host/,
    );
  });

  it('fails when the receiver refuses, sends elsewhere or is not there', async () => {
    for (const answer of [500, 302, 404]) {
      status = answer;
      await assert.rejects(send({ kind: 'http', url }), new RegExp(`answered ${answer}`));
    }
    await assert.rejects(send({ kind: 'http', url: 'http://127.0.0.1:1' }), /did not answer: ./);
    await assert.rejects(send({ kind: 'http', url }, 'sqs', AbortSignal.abort()), /did not answer/);
    assert.equal(received.length, 3);
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

  it('posts the same to a URL', async () => {
    await send({ kind: 'http', url: `${url}/in` });
    assert.equal(received[0]?.path, '/in');
    assert.equal(received[0]?.headers['content-type'], 'application/json');
    assert.equal(JSON.parse(received[0]?.body ?? '').body, message.body);
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
