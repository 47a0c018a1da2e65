/** What is told to a queue, a topic, an event bus or a function. */
export interface Message {
  /** The same at every attempt, so that a receiver can tell that it has it already. */
  readonly id: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  /** How an event bus calls it. */
  readonly detailType: string;
  /** ARNs that it is about. */
  readonly resources: readonly string[];
  /** Of the trace that it comes from: a loop through the receiver can be told by it. */
  readonly traceHeader?: string;
}

export interface MessageAttribute {
  readonly type: 'String' | 'Number';
  readonly value: string;
}
