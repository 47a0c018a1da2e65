import type { Clock } from '#platform/clock.ts';

import type { Credentials } from './credential.ts';
import { checkScope, type SignedService } from './credential-scope.ts';
import { checkPayload, checkPayloadHash, payloadHash } from './payload-hash.ts';
import type { UnsignedPayloads } from './payload-hash.ts';
import { anonymousPrincipal, type SignedPrincipal } from './principal.ts';
import { parseHead, type RequestHead } from './request-head.ts';
import { verifySignature } from './signature.ts';
import { readSignatureParts } from './signature-parts.ts';
import { expiredCredential, missingSignature, unknownCredential } from './signature-refusals.ts';
import { checkSignedHeaders } from './signed-headers.ts';
import { createSigningKeys } from './signing-keys.ts';
import { checkSigningTime } from './signing-time.ts';

/** Finds out who sends a request, in two steps, so that a bad credential is refused before a large body is read. */
export interface SignatureVerifier {
  /** Refuses all that the head alone gives away; of clients that sign the body's hash that is the signature too. */
  checkCredential(head: RequestHead, service?: SignedService): Promise<CheckedCredential>;
}

export interface CheckedCredential {
  /** Refuses a wrong signature, or a body that is not the one signed. The only way to a principal. */
  checkSignature(body: Uint8Array): SignedPrincipal;
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

export function createSignatureVerifier(options: SignatureVerifierOptions): SignatureVerifier {
  const { credentials, clock, region, accountId, allowUnsigned, unsignedPayloads } = options;
  const signingKeys = createSigningKeys(region);
  const anonymous: CheckedCredential = { checkSignature: () => anonymousPrincipal(accountId) };

  return {
    async checkCredential(requestHead, service = 'lambda') {
      const head = parseHead(requestHead);
      const parts = readSignatureParts(head);
      if (!parts) {
        if (allowUnsigned) return anonymous;
        throw missingSignature();
      }
      // What costs nothing comes before the look into the database.
      checkScope(parts.scope, parts.signedAt, { region, service });
      checkSigningTime(parts.signedAt, clock.now(), parts.validSeconds);
      checkSignedHeaders(head, parts.signedHeaders);
      checkPayloadHash(parts.payloadHash, unsignedPayloads);
      const credential = await credentials.find(parts.scope.accessKeyId, parts.sessionToken);
      if (!credential) throw unknownCredential();
      if (credential.expiresAt !== undefined && credential.expiresAt <= clock.now()) {
        throw expiredCredential();
      }
      const key = signingKeys.of(credential, parts.scope.day, service);
      const told = parts.payloadHash;
      if (told !== undefined) verifySignature(head, parts, key, told);
      return {
        checkSignature(body) {
          if (told === undefined) verifySignature(head, parts, key, payloadHash(body));
          else checkPayload(told, body);
          return credential.principal;
        },
      };
    },
  };
}
