import type { IncomingMessage, ServerResponse } from 'node:http';

import type { OwnRequest } from '#functions/ports/home-nodes.ts';

/** A server of a cluster. */
export interface Node {
  /** The identity in its data directory. */
  readonly serverId: string;
  /** For people: the host and the process. */
  readonly name: string;
  /** `host:port` at which the other nodes reach it. */
  readonly address: string;
}

/** Another one where the node is, or has another process or address. */
export function identityOf({ serverId, name, address }: Node): string {
  return JSON.stringify([serverId, name, address]);
}

/** Another one where any of it differs. */
export function keyOf(node: Node & { readonly serving: boolean }): string {
  return JSON.stringify([node.serverId, node.name, node.address, node.serving]);
}

/** The servers of a cluster, as one of them sees the others. */
export interface Nodes {
  /** The own server id. */
  readonly self: string;
  /** Those that take requests, the own one included once it does; at most a second old, in the order of their ids. */
  live(): readonly Node[];
  /** Calls the listener when `live` has changed. Returns what removes it. */
  onChange(listener: () => void): () => void;
  /**
   * Passes a request whose body was not read to another node, and its response to the client. Resolves when the response has
   * ended, however; rejects with a `NodeUnavailableError` only while nothing was sent to the client.
   */
  forward(to: Node, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Sends a request of this node to another one. Rejects with a `NodeUnavailableError` until its response begins. */
  post(to: Node, request: OwnRequest): Promise<IncomingMessage>;
}

/** Another node could not be asked, or ended before it answered: whether it did anything is unknown. */
export class NodeUnavailableError extends Error {
  override readonly name = 'NodeUnavailableError';
}
