import type { Connection } from './connection.ts';
import { jsonResponse, errorResponse } from './http-response.ts';

type ExtensionEvent = 'INVOKE' | 'SHUTDOWN';

export type ShutdownReason = 'spindown' | 'timeout' | 'failure';

/** One extension: the events that it registered for, and the one not delivered yet. */
export class Extension {
  readonly name: string;
  readonly #events: ReadonlySet<ExtensionEvent>;
  #poll: Connection | undefined;
  #pendingEvent: Buffer | undefined;

  constructor(name: string, events: ReadonlySet<ExtensionEvent>) {
    this.name = name;
    this.#events = events;
  }

  /** Whether it has requested the next event, which means that it has processed the last. */
  get waiting(): boolean {
    return this.#poll !== undefined;
  }

  /** False when it is not registered for such events. */
  send(event: ExtensionEvent, id: string, body: Readonly<Record<string, unknown>>): boolean {
    if (!this.#events.has(event)) return false;
    // A slow extension gets only the latest event: nothing waits for it, and a queue would grow.
    this.#pendingEvent = jsonResponse(200, body, { 'Lambda-Extension-Event-Identifier': id });
    this.#send();
    return true;
  }

  poll(connection: Connection): void {
    this.#poll = connection;
    this.#send();
  }

  connectionClosed(connection: Connection): void {
    if (this.#poll === connection) this.#poll = undefined;
  }

  #send(): void {
    if (this.#poll === undefined || this.#pendingEvent === undefined) return;
    const poll = this.#poll;
    const pending = this.#pendingEvent;
    this.#poll = undefined;
    this.#pendingEvent = undefined;
    poll.respondParked(pending);
  }
}

type Registration =
  | { readonly kind: 'registered'; readonly events: ReadonlySet<ExtensionEvent> }
  | { readonly kind: 'refused'; readonly response: Buffer };

/** Parses an extension's registration. */
export function parseRegistration(name: string, body: Buffer, external: boolean): Registration {
  if (name === '') return refused('Extension.InvalidExtensionName', 'Empty extension name');
  const requested = eventsIn(body);
  if (requested === undefined) {
    return refused('InvalidRequestFormat', 'The body must be JSON: {"events": ["INVOKE", …]}.');
  }
  const events = new Set<ExtensionEvent>();
  for (const event of requested) {
    if (event !== 'INVOKE' && event !== 'SHUTDOWN') {
      // Whatever a program sends, as text: a conversion may throw.
      const given = typeof event === 'string' ? event : typeof event;
      return refused('Extension.InvalidEventType', `${given}: unknown event`);
    }
    // An internal extension ends with the function's program, so it cannot receive SHUTDOWN.
    if (event === 'SHUTDOWN' && !external) {
      return refused(
        'Extension.InvalidEventType',
        'SHUTDOWN: event is not supported for internal extensions',
      );
    }
    events.add(event);
  }
  return { kind: 'registered', events };
}

function eventsIn(body: Buffer): readonly unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString());
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const events = 'events' in parsed ? parsed.events : [];
    return Array.isArray(events) ? events : undefined;
  } catch {
    // Not JSON: refused like any other invalid body.
    return undefined;
  }
}

function refused(errorType: string, message: string): Registration {
  return { kind: 'refused', response: errorResponse(403, errorType, message) };
}
