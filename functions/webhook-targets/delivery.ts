/** A delivery of a webhook of the forge. */
export interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The chain of function invocations that caused it. */
  readonly lineage: string | undefined;
}

/** The trace header that continues the chain of a delivery. */
export function deliveryTrace({ lineage }: Delivery): string | undefined {
  return lineage === undefined ? undefined : `Lineage=${lineage}`;
}
