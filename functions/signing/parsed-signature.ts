import type { CredentialScope } from './credential-scope.ts';
import type { Parameter } from './canonical.ts';
import type { SigningTime } from './signing-time.ts';

/** What a request says of its own signature, in either form; nothing of it is checked yet. */
export interface SignatureParts {
  readonly scope: CredentialScope;
  readonly signedAt: SigningTime;
  /** How long a presigned request holds; undefined: as long as clocks may differ. */
  readonly validSeconds: number | undefined;
  /** The names as they were signed, in their order. */
  readonly signedHeaders: readonly string[];
  /** The query as far as it is signed. */
  readonly parameters: readonly Parameter[];
  readonly sessionToken: string | undefined;
  /** The body's hash as the client tells it; undefined: it is that of the bytes that come. */
  readonly payloadHash: string | undefined;
  readonly signature: string;
}
