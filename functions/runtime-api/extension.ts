import type { Connection } from './connection.ts';
import { jsonAnswer } from './http-answer.ts';

export type ExtensionEvent = 'INVOKE' | 'SHUTDOWN';
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
    this.#pendingEvent = jsonAnswer(200, body, { 'Lambda-Extension-Event-Identifier': id });
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
    poll.answerHeld(pending);
  }
}
