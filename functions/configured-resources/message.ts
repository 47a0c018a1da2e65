/** A message to a queue, a topic, an event bus or a function. */
export interface Message {
  /** The same at every attempt, so that a receiver can detect duplicates. */
  readonly id: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  /** The DetailType on an event bus. */
  readonly detailType: string;
  /** ARNs that it is about. */
  readonly resources: readonly string[];
  /** The trace of its origin, by which a loop through the receiver can be detected. */
  readonly traceHeader?: string;
}

export interface MessageAttribute {
  readonly type: 'String' | 'Number';
  readonly value: string;
}
