const forwarded = new WeakSet<object>();

/** Called by the server that has the connections of other nodes, before any service gets the request (an `IncomingMessage`). */
export function setForwarded(request: object): void {
  forwarded.add(request);
}

/** Whether another node has forwarded the request to this one, which must answer it itself. */
export function isForwarded(request: object): boolean {
  return forwarded.has(request);
}
