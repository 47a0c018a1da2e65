import { timingSafeEqual } from 'node:crypto';

import { type Clock, hostTime } from '#platform/clock.ts';

import { canonicalPath, canonicalQuery } from '#platform/sigv4/canonical.ts';
import { computeSignature, deriveKey } from '#platform/sigv4/compute-signature.ts';
import { checkScope, scopeTerminator, type SignedService } from './credential-scope.ts';
import {
  verifyPayloadHash,
  checkPayloadHash,
  payloadHash,
  type UnsignedPayloads,
} from './payload-hash.ts';
import { anonymousPrincipal, type SignedPrincipal } from './principal.ts';
import { readSignature, type SignatureParts } from './read-signature.ts';
import { parseHead, type RawRequestHead, type ParsedHead } from './request-head.ts';
import { checkSignedHeaders, canonicalHeaders } from './signature-headers.ts';
import {
  expiredCredential,
  missingSignature,
  unknownCredential,
  wrongSignature,
} from './signature-refusals.ts';
import { checkSigningTime } from './signing-time.ts';

/** Authenticates a request in two steps, so that an invalid credential is refused before a large body is read. */
export interface SignatureVerifier {
  /** Refuses everything that can be checked with the head alone, including the signature if the client signs the body's hash. */
  checkCredential(head: RawRequestHead, service?: SignedService): Promise<CheckedCredential>;
}

export interface CheckedCredential {
  /** Whose key the head names. Enough to refuse a request early, never to allow it: the signature is not checked yet. */
  readonly claimedPrincipal: SignedPrincipal;
  /** Refuses a wrong signature, or a body that was not the one signed. Only this returns a principal that is proven. */
  checkSignature(body: Uint8Array): SignedPrincipal;
  /** Whether the key is there and valid by now; for responses that take long. */
  isStillValid(): Promise<boolean>;
}

export interface SignatureVerifierOptions {
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly region: string;
  /** Twelve digits. */
  readonly accountId: string;
  /** Whether requests without any signature pass; signed ones are checked all the same. */
  readonly allowUnsigned: boolean;
  /** Whether a client may sign a request without its body. */
  readonly unsignedPayloads: UnsignedPayloads;
}

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

export function createSignatureVerifier(options: SignatureVerifierOptions): SignatureVerifier {
  const { credentials, clock, region, accountId, allowUnsigned, unsignedPayloads } = options;
  const signingKeys = createSigningKeys(region);
  const anonymous: CheckedCredential = {
    claimedPrincipal: anonymousPrincipal(accountId),
    checkSignature: () => anonymousPrincipal(accountId),
    isStillValid: async () => true,
  };

  return {
    async checkCredential(requestHead, service = 'lambda') {
      const head = parseHead(requestHead);
      const parts = readSignature(head);
      if (!parts) {
        if (allowUnsigned) return anonymous;
        throw missingSignature();
      }
      // Cheap checks come before the database query.
      checkScope(parts.scope, parts.signedAt, { region, service });
      checkSigningTime(parts.signedAt, hostTime(clock), parts.validSeconds);
      checkSignedHeaders(head, parts.signedHeaders);
      checkPayloadHash(parts.payloadHash, unsignedPayloads);
      const credential = await credentials.find(parts.scope.accessKeyId, parts.sessionToken);
      if (!credential) throw unknownCredential();
      if (credential.expiresAt !== undefined && credential.expiresAt <= clock.now()) {
        throw expiredCredential();
      }
      const key = signingKeys.of(credential, parts.scope.day, service);
      const claimedHash = parts.payloadHash;
      if (claimedHash !== undefined) verifySignature(head, parts, key, claimedHash);
      return {
        claimedPrincipal: credential.principal,
        checkSignature(body) {
          if (claimedHash === undefined) verifySignature(head, parts, key, payloadHash(body));
          else verifyPayloadHash(claimedHash, body);
          return credential.principal;
        },
        async isStillValid() {
          const now = await credentials.find(parts.scope.accessKeyId, parts.sessionToken);
          return now !== undefined && (now.expiresAt ?? Infinity) > clock.now();
        },
      };
    },
  };
}

/** Refuses a signature that the key did not make over this request. */
function verifySignature(
  head: ParsedHead,
  parts: SignatureParts,
  key: Buffer,
  bodyHash: string,
): void {
  const expected = computeSignature(
    {
      method: head.method,
      path: canonicalPath(head.path),
      query: canonicalQuery(parts.parameters),
      headers: canonicalHeaders(head, parts.signedHeaders),
      signedHeaders: parts.signedHeaders,
      payloadHash: bodyHash,
    },
    { time: parts.signedAt.text, scope: parts.scope.text },
    key,
  );
  const given = Buffer.from(parts.signature, 'hex');
  if (!/^[0-9a-f]{64}$/.test(parts.signature) || !timingSafeEqual(given, expected)) {
    throw wrongSignature();
  }
}

/** Keys that are signed with, by credential, day and service: deriving one takes four rounds, and opening the secret more. */
interface SigningKeys {
  of(credential: Credential, day: string, service: SignedService): Buffer;
}

/** Derived signing keys that are remembered, the latest used: two days of 500 busy credentials. */
const signingKeysMax = 1000;

export function createSigningKeys(region: string): SigningKeys {
  const keys = new Map<string, Buffer>();
  return {
    of(credential, day, service) {
      const name = `${day} ${service} ${credential.cacheKey}`;
      const known = keys.get(name);
      if (known) keys.delete(name);
      const key =
        known ?? deriveKey(credential.secret(), [day, region, service, scopeTerminator].join('/'));
      keys.set(name, key);
      if (keys.size > signingKeysMax) forgetOldest(keys);
      return key;
    },
  };
}

function forgetOldest(keys: Map<string, Buffer>): void {
  const oldest = keys.keys().next();
  if (!oldest.done) keys.delete(oldest.value);
}
