import type { SignedPrincipal } from './principal.ts';

/** An access key that a request may be signed with. */
export interface Credential {
  readonly principal: SignedPrincipal;
  /** Another one when the secret is another: what is derived from the secret is remembered under it. */
  readonly mark: string;
  /** Epoch milliseconds; undefined: until it is deleted. */
  readonly expiresAt: number | undefined;
  /** Opened when it is asked for, which is rarely: derived keys are remembered. */
  secret(): string;
}

/** Where access keys are found. */
export interface Credentials {
  /** Undefined: there is no such key, or the session token is not its own. */
  find(accessKeyId: string, sessionToken: string | undefined): Promise<Credential | undefined>;
}
