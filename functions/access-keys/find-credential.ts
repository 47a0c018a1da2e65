import type { Database, Sql } from '#platform/database/database.ts';
import { ReadCache } from '#platform/database/read-cache.ts';

import type { ServiceKey } from '../keys/service-key.ts';
import type { Credential, Credentials } from '../signing/signature-verifier.ts';
import { assumedRoleArn, type SignedPrincipal, uniqueId, userArn } from '../signing/principal.ts';
import { sessionPrefix } from './access-key.ts';
import { accessKeyContext, findAccessKey, type StoredAccessKey } from './access-key-store.ts';
import type { SessionTokens } from './session-tokens.ts';

export interface CredentialPorts {
  readonly database: Database;
  readonly serviceKey: ServiceKey;
  readonly sessionTokens: SessionTokens;
  /** Twelve digits. */
  readonly accountId: string;
}

/** Access keys cached until the next commit to the database, on SQLite, of some hundred bytes each. */
const entriesMax = 5000;

/** Finds users' keys in the database, never stale, so that a deleted key is invalid immediately, and sessions in their tokens. */
export function createCredentials(ports: CredentialPorts): Credentials {
  const cache = new ReadCache<Credential>(ports.database, entriesMax);
  return {
    async find(accessKeyId, sessionToken) {
      if (sessionToken !== undefined) return sessionCredential(ports, accessKeyId, sessionToken);
      if (accessKeyId.startsWith(sessionPrefix)) return undefined;
      return cache.find(accessKeyId, () =>
        ports.database.readOne((sql) => userCredential(ports, sql, accessKeyId)),
      );
    },
  };
}

/** The user as whom requests with the key act. */
export function principalOf(
  { accessKeyId, userId, login }: Pick<StoredAccessKey, 'accessKeyId' | 'userId' | 'login'>,
  accountId: string,
): SignedPrincipal {
  return {
    kind: 'user',
    accessKeyId,
    accountId,
    arn: userArn(accountId, login),
    userId: uniqueId('AIDA', `${accountId} ${userId}`),
    forgeUserId: userId,
  };
}

async function userCredential(
  { serviceKey, accountId }: CredentialPorts,
  sql: Sql,
  accessKeyId: string,
): Promise<Credential | undefined> {
  const key = await findAccessKey(sql, accessKeyId);
  if (!key) return undefined;
  return {
    principal: principalOf(key, accountId),
    cacheKey: key.sealedSecret,
    expiresAt: undefined,
    secret() {
      const secret = serviceKey.unseal(key.sealedSecret, accessKeyContext(accessKeyId));
      if (!secret) throw new Error(`Cannot decrypt the secret of access key ${accessKeyId}.`);
      return secret.toString();
    },
  };
}

function sessionCredential(
  { sessionTokens, accountId }: CredentialPorts,
  accessKeyId: string,
  sessionToken: string,
): Credential | undefined {
  const session = sessionTokens.read(sessionToken);
  if (session?.accessKeyId !== accessKeyId) return undefined;
  const arn = assumedRoleArn(session.roleArn, session.sessionName);
  const userId = `${uniqueId('AROA', session.roleArn)}:${session.sessionName}`;
  return {
    principal: { kind: 'role', accessKeyId, accountId, arn, userId },
    cacheKey: accessKeyId,
    expiresAt: session.expiresAt,
    secret: () => session.secretAccessKey,
  };
}
