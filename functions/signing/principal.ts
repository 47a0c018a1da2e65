import { createHash } from 'node:crypto';

interface Principal {
  readonly arn: string;
  /** Twelve digits. */
  readonly accountId: string;
}

/** Who sent a request, once its signature was checked. */
export type SignedPrincipal =
  | (Principal & {
      readonly kind: 'user';
      readonly accessKeyId: string;
      /** `AIDA…`: what GetCallerIdentity calls UserId. */
      readonly userId: string;
      /** The user of the forge whom the access key belongs to. */
      readonly forgeUserId: number;
    })
  | (Principal & {
      readonly kind: 'role';
      readonly accessKeyId: string;
      /** `AROA…:session` */
      readonly userId: string;
    })
  /** An unsigned request, which the operator allows. */
  | (Principal & {
      readonly kind: 'anonymous';
      readonly accessKeyId: undefined;
      readonly userId: undefined;
    });

/** The user of the forge for whom a principal acts; undefined: none. */
export function forgeUserOf(principal: SignedPrincipal): number | undefined {
  return principal.kind === 'user' ? principal.forgeUserId : undefined;
}

/** `arn:aws:iam::123456789012:user/ada`: users of the forge are the users of the account. */
export function userArn(accountId: string, login: string): string {
  return `arn:aws:iam::${accountId}:user/${login}`;
}

/** A unique id in AWS's format, derived deterministically from its input. */
export function uniqueId(prefix: 'AIDA' | 'AROA', from: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const digest = createHash('sha256').update(from).digest();
  const own = Array.from(digest.subarray(0, 17), (byte) => letters.charAt(byte & 31));
  return `${prefix}${own.join('')}`;
}

/** `arn:aws:sts::123456789012:assumed-role/worker/session`: the role's name without its path. */
export function assumedRoleArn(roleArn: string, sessionName: string): string {
  const [, partition = 'aws', , , accountId = '', resource = ''] = roleArn.split(':');
  const roleName = resource.slice(resource.lastIndexOf('/') + 1);
  return `arn:${partition}:sts::${accountId}:assumed-role/${roleName}/${sessionName}`;
}

export function anonymousPrincipal(accountId: string): SignedPrincipal {
  return {
    kind: 'anonymous',
    accessKeyId: undefined,
    userId: undefined,
    accountId,
    arn: 'anonymous',
  };
}
