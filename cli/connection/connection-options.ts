import type { Retries } from '../profile/profile.ts';

/** How the service is reached. */
export interface ConnectionOptions {
  /** `scheme://host[:port][/prefix]`. */
  readonly endpointUrl: string;
  /** Seconds; 0 waits for ever. */
  readonly connectTimeout: number;
  /** Seconds without a byte; 0 waits for ever. */
  readonly readTimeout: number;
  readonly verifySsl: boolean;
  /** Path of a file of certificates that are trusted instead of the system's. */
  readonly caBundle: string | undefined;
  readonly retries: Retries;
}
