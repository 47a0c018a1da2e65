/** A delivery of a webhook of the forge. */
export interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The chain of requests that caused it. */
  readonly lineage: string | undefined;
}

/** The trace header that continues the chain of requests of a delivery. */
export function deliveryTrace({ lineage }: Delivery): string | undefined {
  return lineage === undefined ? undefined : `Lineage=${lineage}`;
}
