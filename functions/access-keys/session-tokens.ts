import type { Clock } from '#platform/clock.ts';
import type { Random } from '#platform/random.ts';

import type { ServiceKey } from '../keys/service-key.ts';
import { makeAccessKeyId, makeSecretAccessKey, sessionPrefix } from './access-key.ts';

/** The credentials of a function's process: AWS's clients read them from the environment. */
export interface TemporaryCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** The content of a session token. */
export interface Session {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly roleArn: string;
  readonly sessionName: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Credentials that are stored nowhere: the token itself is the encrypted record, so thousands cost nothing. */
export interface SessionTokens {
  issue(roleArn: string, sessionName: string, seconds: number): TemporaryCredentials;
  /** Undefined: no token of ours. */
  read(sessionToken: string): Session | undefined;
}

export interface SessionTokenPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly serviceKey: ServiceKey;
}

export function createSessionTokens({
  clock,
  random,
  serviceKey,
}: SessionTokenPorts): SessionTokens {
  return {
    issue(roleArn, sessionName, seconds) {
      const session: Session = {
        accessKeyId: makeAccessKeyId(random, sessionPrefix),
        secretAccessKey: makeSecretAccessKey(random),
        roleArn,
        sessionName,
        expiresAt: clock.now() + seconds * 1000,
      };
      const { accessKeyId, secretAccessKey, expiresAt } = session;
      const sessionToken = serviceKey.seal(Buffer.from(JSON.stringify(session)), context);
      return { accessKeyId, secretAccessKey, sessionToken, expiresAt };
    },

    read(sessionToken) {
      if (sessionToken.length > tokenCharactersMax) return undefined;
      const bytes = serviceKey.unseal(sessionToken, context);
      if (!bytes) return undefined;
      // The content comes from issue(): no other process has the key.
      const session: Session = JSON.parse(bytes.toString());
      return session;
    },
  };
}

const context = 'session token';

/** Session token: longer than the longest role and session name make it. */
const tokenCharactersMax = 4096;
