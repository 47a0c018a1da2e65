import type { SignedPrincipal } from './principal.ts';

/** An access key that a request may be signed with. */
export interface Credential {
  readonly principal: SignedPrincipal;
  /** Identifies the secret: keys derived from it are cached under this name. */
  readonly cacheKey: string;
  /** Epoch milliseconds; undefined: until it is deleted. */
  readonly expiresAt: number | undefined;
  /** Decrypts the secret, which is rarely needed: derived keys are cached. */
  secret(): string;
}

/** Where access keys are found. */
export interface Credentials {
  /** Undefined: there is no such key, or the session token is not its own. */
  find(accessKeyId: string, sessionToken: string | undefined): Promise<Credential | undefined>;
}
