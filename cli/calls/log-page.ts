import { getFunctionLogs } from '#functions-contract/operations/logs.ts';

import type { InputMap } from '../validation/input-value.ts';
import type { Session, Output } from './session.ts';

interface LogPage {
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

/** A member of a response that is a text or a number, as text; what is absent or something else is the fallback. */
export function textMember(output: Output, name: string, fallback = ''): string {
  const value = output[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : fallback;
}
