import type { ExtensionEvent } from './extension.ts';
import { errorAnswer } from './http-answer.ts';

export type Registration =
  | { readonly kind: 'registered'; readonly events: ReadonlySet<ExtensionEvent> }
  | { readonly kind: 'refused'; readonly answer: Buffer };

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
      return refused('Extension.InvalidEventType', `${String(event)}: unknown event`);
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
  return { kind: 'refused', answer: errorAnswer(403, errorType, message) };
}
