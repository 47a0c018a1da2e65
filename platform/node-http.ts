/**
 * `node:http` without its ES module namespace: making that reads every export, and `WebSocket` loads Node's whole HTTP client
 * for `fetch`, which costs a start about 25 ms.
 */
export const {
  Agent,
  createServer,
  IncomingMessage,
  METHODS,
  request,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} = process.getBuiltinModule('node:http');
export type IncomingMessage = InstanceType<typeof IncomingMessage>;
