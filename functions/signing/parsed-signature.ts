import type { CredentialScope } from './credential-scope.ts';
import type { Parameter } from '#platform/sigv4/canonical.ts';
import type { SigningTime } from './signing-time.ts';

/** A request's signature as sent, in either form; not verified yet. */
export interface SignatureParts {
  readonly scope: CredentialScope;
  readonly signedAt: SigningTime;
  /** How long a presigned request is valid; undefined: as long as clocks may differ. */
  readonly validSeconds: number | undefined;
  /** The names as they were signed, in their order. */
  readonly signedHeaders: readonly string[];
  /** The query as far as it is signed. */
  readonly parameters: readonly Parameter[];
  readonly sessionToken: string | undefined;
  /** The body's hash as the client sends it; undefined: it is computed from the received bytes. */
  readonly payloadHash: string | undefined;
  readonly signature: string;
}
