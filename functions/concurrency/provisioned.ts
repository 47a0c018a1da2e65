/** Environments of a version or alias that are kept ready, whether anybody invokes or not. */
export interface Provisioned {
  readonly id: number;
  /** Number of a version or name of an alias. */
  readonly qualifier: string;
  readonly requested: number;
  /** Started and ready. */
  readonly available: number;
  readonly status: ProvisionedStatus;
  readonly statusReason: string | undefined;
  /** Epoch milliseconds. */
  readonly lastModified: number;
}

export type ProvisionedStatus = 'IN_PROGRESS' | 'READY' | 'FAILED';
