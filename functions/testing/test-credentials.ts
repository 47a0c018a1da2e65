import type { Credentials } from '../signing/signature-verifier.ts';
import type { SignedPrincipal } from '../signing/principal.ts';

/** The pair that real clients may sign with. */
export const testKey = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' };

/** The pair of a function's role. */
export const testRoleKey = { accessKeyId: 'ASIAEXAMPLE', secretAccessKey: 'role secret' };

/** Both of them, in this account, and others. */
export function createTestCredentials(accountId: string, others: Credentials): Credentials {
  const user: SignedPrincipal = {
    kind: 'user',
    accessKeyId: testKey.accessKeyId,
    accountId,
    arn: `arn:aws:iam::${accountId}:user/ada`,
    userId: 'AIDAEXAMPLE',
    forgeUserId: 1,
  };
  const role: SignedPrincipal = {
    kind: 'role',
    accessKeyId: testRoleKey.accessKeyId,
    accountId,
    arn: `arn:aws:sts::${accountId}:assumed-role/worker/fn`,
    userId: 'AROAEXAMPLE:fn',
  };
  const credentials = new Map([
    [testKey.accessKeyId, { principal: user, secret: testKey.secretAccessKey }],
    [testRoleKey.accessKeyId, { principal: role, secret: testRoleKey.secretAccessKey }],
  ]);
  return {
    async find(accessKeyId, sessionToken) {
      const found = credentials.get(accessKeyId);
      if (!found) return others.find(accessKeyId, sessionToken);
      if (sessionToken !== undefined) return undefined;
      const { principal, secret } = found;
      return { principal, cacheKey: accessKeyId, expiresAt: undefined, secret: () => secret };
    },
  };
}
