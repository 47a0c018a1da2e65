import type { Database } from '#platform/database.ts';

import type { ServiceKey } from '../keys/service-key.ts';
import type { Credential, Credentials } from '../signing/credential.ts';
import { assumedRoleArn, userArn } from '../signing/principal.ts';
import { sessionPrefix } from './access-key.ts';
import { findAccessKey } from './access-key-store.ts';
import { accessKeyContext } from './administer-access-keys.ts';
import type { SessionTokens } from './session-tokens.ts';

export interface CredentialPorts {
  readonly database: Database;
  readonly serviceKey: ServiceKey;
  readonly sessionTokens: SessionTokens;
  /** Twelve digits. */
  readonly accountId: string;
}

/** Finds users' keys in the database, anew each time so that a deleted key is dead at once, and sessions in their tokens. */
export function createCredentials(ports: CredentialPorts): Credentials {
  return {
    async find(accessKeyId, sessionToken) {
      if (sessionToken !== undefined) return sessionCredential(ports, accessKeyId, sessionToken);
      return accessKeyId.startsWith(sessionPrefix) ? undefined : userCredential(ports, accessKeyId);
    },
  };
}

async function userCredential(
  { database, serviceKey, accountId }: CredentialPorts,
  accessKeyId: string,
): Promise<Credential | undefined> {
  const key = await database.read((sql) => findAccessKey(sql, accessKeyId));
  if (!key) return undefined;
  return {
    principal: { kind: 'user', accessKeyId, accountId, arn: userArn(accountId, key.login) },
    mark: key.sealedSecret,
    expiresAt: undefined,
    secret() {
      const secret = serviceKey.unseal(key.sealedSecret, accessKeyContext(accessKeyId));
      if (!secret) throw new Error(`The secret of access key ${accessKeyId} cannot be opened.`);
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
  return {
    principal: { kind: 'role', accessKeyId, accountId, arn },
    mark: accessKeyId,
    expiresAt: session.expiresAt,
    secret: () => session.secretAccessKey,
  };
}
