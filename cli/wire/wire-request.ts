/** What goes to the service, without the address of the server. */
export interface WireRequest {
  readonly method: string;
  /** From the root, percent-encoded, with the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}
