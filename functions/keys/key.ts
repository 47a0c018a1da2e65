/** A key of the key ring. */
export interface Key {
  /** A UUID. */
  readonly id: string;
  readonly description: string;
  readonly enabled: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** When the key is destroyed; undefined: it stays. */
  readonly deletionAt: number | undefined;
}

export type KeyState = 'enabled' | 'disabled' | 'pending deletion';

export function keyState(key: Key): KeyState {
  if (key.deletionAt !== undefined) return 'pending deletion';
  return key.enabled ? 'enabled' : 'disabled';
}

/** The account and region in the ARNs of keys. */
export interface KeySite {
  readonly region: string;
  /** Twelve digits. */
  readonly accountId: string;
}

export function keyArn(site: KeySite, id: string): string {
  return `arn:aws:kms:${site.region}:${site.accountId}:key/${id}`;
}

/** The id in a key ARN of this site; undefined for any other ARN. */
export function keyIdOf(site: KeySite, arn: string): string | undefined {
  const prefix = keyArn(site, '');
  return arn.startsWith(prefix) ? arn.slice(prefix.length) : undefined;
}
