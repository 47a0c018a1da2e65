interface Principal {
  readonly arn: string;
  /** Twelve digits. */
  readonly accountId: string;
}

/** Who sent a request, once its signature was checked. */
export type SignedPrincipal =
  | (Principal & { readonly kind: 'user' | 'role'; readonly accessKeyId: string })
  /** Nobody signed, and the operator lets that pass. */
  | (Principal & { readonly kind: 'anonymous'; readonly accessKeyId: undefined });

/** `arn:aws:iam::123456789012:user/ada`: users of the forge are the users of the account. */
export function userArn(accountId: string, login: string): string {
  return `arn:aws:iam::${accountId}:user/${login}`;
}

/** `arn:aws:sts::123456789012:assumed-role/worker/session`: the role's name without its path. */
export function assumedRoleArn(roleArn: string, sessionName: string): string {
  const [, partition = 'aws', , , accountId = '', resource = ''] = roleArn.split(':');
  const roleName = resource.slice(resource.lastIndexOf('/') + 1);
  return `arn:${partition}:sts::${accountId}:assumed-role/${roleName}/${sessionName}`;
}

export function anonymousPrincipal(accountId: string): SignedPrincipal {
  return { kind: 'anonymous', accessKeyId: undefined, accountId, arn: 'anonymous' };
}
