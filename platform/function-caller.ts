import type { FastifyContextConfig } from 'fastify';

/** A function whose program sent a request from inside its sandbox; such requests do not arrive at the server's port. */
export interface FunctionCaller {
  readonly functionArn: string;
  /** What the function may request: what is open to functions, or only what durable functions cannot do without. */
  readonly reach: 'service' | 'durable-executions';
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether functions may request a route that belongs to no operation of an API: those they may always request. */
    openToFunctions?: boolean;
  }
}

/** The configuration of such a route. */
export const openToFunctions = { openToFunctions: true } as const satisfies FastifyContextConfig;

const callers = new WeakMap<object, FunctionCaller>();

/** Called by the server that has the connections of sandboxes, before any service gets the request (an `IncomingMessage`). */
export function setFunctionCaller(request: object, caller: FunctionCaller): void {
  callers.set(request, caller);
}

/** Undefined for requests that arrived at the server's port. */
export function functionCallerOf(request: object): FunctionCaller | undefined {
  return callers.get(request);
}
