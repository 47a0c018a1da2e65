/** A name for a version of a function, or for two that share its invocations. */
export interface Alias {
  readonly id: number;
  readonly name: string;
  /** Number of the version; 0 is $LATEST. */
  readonly number: number;
  readonly description: string;
  readonly other: WeightedVersion | undefined;
  readonly revisionId: string;
}

/** A second version, and the part of the invocations, from 0 to 1, that goes to it. */
export interface WeightedVersion {
  readonly number: number;
  readonly weight: number;
}
