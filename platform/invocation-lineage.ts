import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The lineage of the current work: the chain of requests of functions that it is part of, as the `Lineage` field of AWS's trace header
 * spells it. Code that has the serialized form calls it `lineage`. It lets the function service end recursive loops that pass through the forge: a function that pushes on every push. Only
 * connections that are known to be a function's set it, because any client could send a header.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
const current = new AsyncLocalStorage<string | undefined>();
const ofRequests = new WeakMap<object, string | undefined>();

/** Notes that a function has sent the request (an `IncomingMessage`), before the services get it. */
export function setRequestLineage(request: object, lineage: string | undefined): void {
  ofRequests.set(request, lineage);
}

/**
 * Runs the handler of a request in the lineage of the function that sent it, or in none. Handlers start in an event of the
 * request's body: the context of the listener does not reach them, and that of other work might.
 */
export function inLineageOf<T>(request: object, work: () => T): T {
  return current.run(ofRequests.get(request), work);
}

/** Continues a lineage that was stored; undefined: the work is part of no chain of requests. */
export function inLineage<T>(lineage: string | undefined, work: () => T): T {
  return current.run(lineage, work);
}

/** The lineage of the current work; undefined outside of requests of functions. */
export function currentLineage(): string | undefined {
  return current.getStore();
}
