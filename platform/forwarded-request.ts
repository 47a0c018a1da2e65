import type { SpanReference } from './tracing.ts';

const forwarded = new WeakMap<object, SpanReference | undefined>();

/**
 * Called by the server that has the connections of other nodes, before any service gets the request (an `IncomingMessage`). `span`: that
 * of the node which forwarded it.
 */
export function setForwarded(request: object, span?: SpanReference): void {
  forwarded.set(request, span);
}

/** Whether another node has forwarded the request to this one, which must answer it itself. */
export function isForwarded(request: object): boolean {
  return forwarded.has(request);
}

/** Where a forwarded request belongs in a trace. */
export function forwardedSpan(request: object): SpanReference | undefined {
  return forwarded.get(request);
}
