import { eventRequestBytesMax } from '#functions-contract/limits.ts';
import { readCommitted } from '#platform/database/database.ts';

import { findFunction } from '../configuration/function-store.ts';
import { deliver } from '../configured-resources/deliver.ts';
import { readFunctionName } from '../model/function-name.ts';
import { type EventPorts, delayAfter, queueFull } from './event.ts';
import { insertEvent } from './event-store.ts';
import { claimMessage, putOffMessage, removeMessage, type StoredMessage } from './outbox-store.ts';

/** Age of a message about an event that its target has not taken; then it is given up. */
const ageMillisecondsMax = 6 * 60 * 60_000;

type DeliveryPorts = Omit<EventPorts, 'messages'>;

/** One attempt to deliver a message. */
export async function deliverMessage(
  ports: DeliveryPorts,
  due: { readonly id: number; readonly due_at: number },
  stop: AbortSignal,
): Promise<void> {
  const { database, clock, timings, serverId, onError } = ports;
  const claimed = await database.write(
    (sql) => claimMessage(sql, due, serverId, clock.now()),
    readCommitted,
  );
  if (!claimed) return;
  try {
    await take(ports, claimed, stop);
    return;
  } catch (error) {
    // A delivery aborted by shutdown is released at this server's next start.
    if (stop.aborted) return;
    const attempts = claimed.attempts + 1;
    const at = clock.now() + delayAfter(timings, claimed.attempts);
    const givenUp = error instanceof TooLarge || at - claimed.createdAt > ageMillisecondsMax;
    if (!givenUp) {
      await database.write((sql) => putOffMessage(sql, claimed, { at, attempts }), readCommitted);
    } else if (await database.write((sql) => removeMessage(sql, claimed), readCommitted)) {
      onError(
        new Error(`Delivery of a message to ${claimed.target} failed permanently.`, {
          cause: error,
        }),
      );
    }
  }
}

/**
 * The record about an event has the event and the response: without a limit, functions that are destinations of each other would
 * make it larger than any event can be. Another attempt would not make it smaller.
 */
class TooLarge extends Error {
  constructor(bytes: number, requestId: string) {
    super(
      `The record about request ${requestId} has ${bytes} bytes; ${eventRequestBytesMax} are the maximum of an asynchronous invocation. Choose a queue as the destination, or return less.`,
    );
  }
}

async function take(
  ports: DeliveryPorts,
  claimed: StoredMessage,
  stop: AbortSignal,
): Promise<void> {
  const { database, clock, random, settings } = ports;
  const { target, message } = claimed;
  if (target.split(':')[2] !== 'lambda') {
    await ports.configured.refresh?.();
    await deliver(ports.configured, target, message, { at: clock.now(), signal: stop });
    await database.write((sql) => removeMessage(sql, claimed), readCommitted);
    return;
  }
  const bytes = Buffer.byteLength(message.body);
  if (bytes > eventRequestBytesMax) throw new TooLarge(bytes, message.id);
  const { name, qualifier } = readFunctionName(target, settings);
  const requestId = random.id();
  // A function of this service gets it exactly once: it is one transaction.
  await database.write(async (sql) => {
    const found = await findFunction(sql, name);
    if (!found) throw new Error(`Function not found: ${name}`);
    const { body: payload, traceHeader } = message;
    const event = { functionId: found.id, requestId, qualifier, payload, traceHeader };
    const absent = { clientContext: undefined, tenantId: undefined };
    // Before the message is removed: a full queue then costs one read, however long the message is.
    if (!(await insertEvent(sql, { ...event, ...absent }, clock.now(), 'message')))
      throw queueFull();
    // Undoes the event: another server delivers the message.
    if (!(await removeMessage(sql, claimed))) throw new Error('The claim of the message was lost.');
  }, readCommitted);
}
