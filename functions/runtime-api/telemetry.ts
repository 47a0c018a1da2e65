import { inBackground } from '#platform/in-background.ts';

import { collectingBody, smallBodyBytesMax } from './body-readers.ts';
import type { Connection } from './connection.ts';
import { errorResponse, textResponse } from './http-response.ts';
import type { BodySink } from './request-reader.ts';
import { parseSubscription } from './subscription.ts';
import type { Subscription, TelemetryKind } from './subscription.ts';

export interface TelemetryRecord {
  /** ISO 8601 with milliseconds. */
  readonly time: string;
  /** `platform.start`, `function`, `extension` and so on. */
  readonly type: string;
  readonly record: unknown;
}

/** Posts a batch to an address inside the sandbox. */
export type Deliver = (destination: URL, body: Uint8Array) => Promise<void>;

export interface Telemetry {
  /** Receives the body of a subscription. */
  subscribe(extension: string, connection: Connection): BodySink;
  publish(record: TelemetryRecord): void;
  /** Whether there are subscribers. */
  isHeard(): boolean;
  /** Sends buffered records and resolves when they have been delivered, or delivery failed. */
  flush(): Promise<void>;
}

/** Sends records to their subscribers, in batches as each has requested. */
export function createTelemetry(deliver: Deliver): Telemetry {
  const subscribers = new Map<string, Subscriber>();
  return {
    subscribe(extension, connection) {
      return collectingBody(
        {
          whole(body) {
            const subscription = parseSubscription(body);
            if (subscription === undefined) {
              connection.respond(invalid);
              return;
            }
            subscribers.set(extension, new Subscriber(subscription, deliver));
            connection.respond(textResponse('OK'));
          },
          tooLarge() {},
          truncated() {},
        },
        connection,
        smallBodyBytesMax,
      );
    },
    isHeard: () => subscribers.size > 0,
    publish(record) {
      for (const subscriber of subscribers.values()) subscriber.take(record);
    },
    async flush() {
      await Promise.all([...subscribers.values()].map((subscriber) => subscriber.flush()));
    },
  };
}

class Subscriber {
  readonly #subscription: Subscription;
  readonly #deliver: Deliver;
  #records: string[] = [];
  #bytes = 0;
  #dropped = { records: 0, bytes: 0 };
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(subscription: Subscription, deliver: Deliver) {
    this.#subscription = subscription;
    this.#deliver = deliver;
  }

  take(record: TelemetryRecord): void {
    if (!this.#subscription.kinds.has(kindOf(record))) return;
    const text = JSON.stringify(record);
    const { maxItems, maxBytes, timeoutMs } = this.#subscription;
    // A subscriber that does not accept its records must not make us buffer all of them.
    if (this.#sending !== undefined && this.#bytes + text.length > maxBytes) {
      this.#dropped.records += 1;
      this.#dropped.bytes += text.length;
      return;
    }
    this.#records.push(text);
    this.#bytes += text.length;
    if (this.#records.length >= maxItems || this.#bytes >= maxBytes) inBackground(this.flush());
    else this.#timer ??= setTimeout(() => inBackground(this.flush()), timeoutMs).unref();
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#sending;
    if (this.#records.length === 0) return;
    const batch = Buffer.from(`[${this.#records.join(',')}]`);
    const count = this.#records.length;
    this.#records = [];
    this.#bytes = 0;
    this.#sending = this.#deliver(this.#subscription.destination, batch).catch(() => {
      // Reported with the next batch that is delivered.
      this.#dropped.records += count;
      this.#dropped.bytes += batch.length;
    });
    await this.#sending;
    this.#sending = undefined;
    this.#reportDropped();
  }

  #reportDropped(): void {
    const { records, bytes } = this.#dropped;
    if (records === 0 || this.#records.length === 0) return;
    this.#dropped = { records: 0, bytes: 0 };
    this.#records.unshift(
      JSON.stringify({
        type: 'platform.logsDropped',
        record: {
          reason: 'The subscriber did not accept them in time.',
          droppedRecords: records,
          droppedBytes: bytes,
        },
      }),
    );
  }
}

function kindOf(record: TelemetryRecord): TelemetryKind {
  return record.type === 'function' || record.type === 'extension' ? record.type : 'platform';
}

const invalid = errorResponse(
  400,
  'ValidationError',
  'A subscription requires a schemaVersion, the types platform, function or extension, and an HTTP destination in the sandbox.',
);
