import type { ServerResponse } from 'node:http';

/**
 * Calls back once when nothing more is sent of a response: it is complete, or the client has left. `close` comes once only, so
 * that a late caller is called at once. A pipelined response whose turn has not come has no socket yet and would be reported
 * nothing: it ends with the connection of its request.
 */
export function onResponseEnd(response: ServerResponse, listener: () => void): void {
  const connection = response.req.socket;
  if (response.closed || response.destroyed || connection.destroyed) {
    listener();
    return;
  }
  // As nearly always; a listener that removes itself would cost more than what most of them do.
  if (response.socket !== null) {
    response.on('close', listener);
    return;
  }
  const ended = (): void => {
    response.off('close', ended);
    connection.off('close', ended);
    listener();
  };
  response.once('close', ended);
  connection.once('close', ended);
}

/** Aborted when nothing more is sent of the response. */
export function responseEndSignal(response: ServerResponse): AbortSignal {
  const end = new AbortController();
  onResponseEnd(response, () => end.abort());
  return end.signal;
}
