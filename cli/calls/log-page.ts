import { getFunctionLogs } from '#functions-contract/operations/logs.ts';

import type { InputMap } from '../validation/input-value.ts';
import type { Session } from './session.ts';

export interface LogPage {
  readonly messages: readonly string[];
  /** Where the lines to come begin. */
  readonly next: string | undefined;
}

export async function readLogPage(input: InputMap, session: Session): Promise<LogPage> {
  const { Events: events, NextMarker: next } = await session.call(getFunctionLogs, input);
  const messages = Array.isArray(events) ? events.flatMap(messageOf) : [];
  return { messages, next: typeof next === 'string' ? next : undefined };
}

function messageOf(event: unknown): string[] {
  if (typeof event !== 'object' || event === null || !('Message' in event)) return [];
  return typeof event.Message === 'string' ? [event.Message] : [];
}
