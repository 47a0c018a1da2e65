import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A queue on loopback that speaks the protocol of SQS. */
export interface TestQueue {
  readonly url: string;
  /** Bodies that wait or are being processed, oldest first. */
  readonly bodies: () => readonly string[];
  /** Requests that wait for a message. */
  readonly waiting: () => number;
  /** How many messages each request received, if any. */
  readonly received: readonly number[];
  /** Of requests about messages. */
  readonly authorizations: readonly (string | undefined)[];
  send(bodies: readonly string[], more?: Readonly<Record<string, unknown>>): void;
  /** Messages that are being processed can be received again. */
  release(): void;
  /** From now on every request is answered with this status; 200: as it should be, unless there is a body instead. */
  answer(status: number, body?: string): void;
  /** Seconds for which a message stays hidden; undefined: the queue does not say. */
  hideFor(seconds: number | undefined): void;
  /** Looks whether conditions hold that no request changes. */
  look(): void;
  /** Resolves once this holds after a request was answered. */
  until(condition: () => boolean): Promise<void>;
  close(): Promise<void>;
}

interface Message {
  readonly id: string;
  readonly body: string;
  readonly more: Readonly<Record<string, unknown>>;
  inFlight: boolean;
}

export async function openTestQueue(): Promise<TestQueue> {
  let messages: Message[] = [];
  let next = 1;
  let status = 200;
  let fixed: string | undefined;
  let hiddenSeconds: number | undefined;
  const received: number[] = [];
  const authorizations: (string | undefined)[] = [];
  const waiting = new Set<() => void>();
  const conditions = new Set<() => void>();
  const changed = (): void => {
    for (const look of conditions) look();
  };
  const wakeWaiting = (): void => {
    for (const wake of waiting) wake();
  };

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<object> {
    const input: { MaxNumberOfMessages: number; WaitTimeSeconds: number } = JSON.parse(
      await text(request),
    );
    if (messages.every(({ inFlight }) => inFlight) && input.WaitTimeSeconds > 0) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          waiting.delete(wake);
          changed();
          resolve();
        };
        const timer = setTimeout(wake, input.WaitTimeSeconds * 1000);
        waiting.add(wake);
        changed();
        response.once('close', wake);
      });
    }
    if (response.destroyed) return {};
    const given = messages.filter(({ inFlight }) => !inFlight).slice(0, input.MaxNumberOfMessages);
    for (const message of given) message.inFlight = true;
    if (given.length > 0) received.push(given.length);
    return {
      Messages: given.map(({ id, body, more }) => ({
        MessageId: id,
        ReceiptHandle: `handle-${id}`,
        Body: body,
        MD5OfBody: 'digest',
        Attributes: { ApproximateReceiveCount: '1', SentTimestamp: '1767323045678' },
        ...more,
      })),
    };
  }

  async function remove(request: IncomingMessage): Promise<object> {
    const { Entries }: { Entries: readonly { Id: string; ReceiptHandle: string }[] } = JSON.parse(
      await text(request),
    );
    const handles = new Set(Entries.map(({ ReceiptHandle }) => ReceiptHandle));
    messages = messages.filter(({ id }) => !handles.has(`handle-${id}`));
    return { Successful: Entries.map(({ Id }) => ({ Id })), Failed: [] };
  }

  /** Clients compare the digest with their own. */
  async function add(request: IncomingMessage): Promise<object> {
    const { MessageBody }: { MessageBody: string } = JSON.parse(await text(request));
    send([MessageBody]);
    const digest = createHash('md5').update(MessageBody).digest('hex');
    return { MessageId: `m-${next - 1}`, MD5OfMessageBody: digest };
  }

  function send(bodies: readonly string[], more: Readonly<Record<string, unknown>> = {}): void {
    for (const body of bodies) {
      messages.push({ id: `m-${next}`, body, more, inFlight: false });
      next += 1;
    }
    wakeWaiting();
  }

  const server = createServer((request, response) => {
    const operation = request.headers['x-amz-target'];
    if (operation !== 'AmazonSQS.GetQueueAttributes') {
      authorizations.push(request.headers.authorization);
    }
    const answers: Readonly<Record<string, () => Promise<object>>> = {
      'AmazonSQS.ReceiveMessage': () => receive(request, response),
      'AmazonSQS.DeleteMessageBatch': () => remove(request),
      'AmazonSQS.GetQueueAttributes': async () => ({
        Attributes: {
          VisibilityTimeout: hiddenSeconds?.toString(),
          ApproximateNumberOfMessages: messages.length.toString(),
        },
      }),
      'AmazonSQS.SendMessage': () => add(request),
    };
    const answer = answers[String(operation)];
    const answered =
      status === 200 && fixed === undefined && answer ? answer() : Promise.resolve({});
    answered.then(
      (body) => {
        response.writeHead(status).end(fixed ?? JSON.stringify(body), changed);
      },
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('The queue does not listen.');

  return {
    url: `http://127.0.0.1:${address.port}`,
    waiting: () => waiting.size,
    bodies: () => messages.map(({ body }) => body),
    received,
    authorizations,
    send,
    release() {
      for (const message of messages) message.inFlight = false;
      wakeWaiting();
    },
    hideFor(seconds) {
      hiddenSeconds = seconds;
    },
    answer(nextStatus, body) {
      status = nextStatus;
      fixed = body;
      wakeWaiting();
    },
    look: changed,
    until: (condition) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!condition()) return;
          conditions.delete(look);
          resolve();
        };
        conditions.add(look);
        look();
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
