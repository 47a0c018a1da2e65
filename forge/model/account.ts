/** A user or an organization: whoever can own repositories. */
export interface Account {
  readonly id: number;
  readonly kind: 'user' | 'organization';
  /** As its owner spells it; compares without case. */
  readonly login: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly company: string | null;
  readonly blog: string | null;
  readonly location: string | null;
  readonly bio: string | null;
  readonly siteAdmin: boolean;
  /** The last zone the user named in a `Time-Zone` header (spec, General request rules 8). */
  readonly timeZone: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type OrganizationRole = 'admin' | 'member';

/** First path segments that the server itself answers; no account may take them. */
export const reservedLogins: ReadonlySet<string> = new Set([
  'api',
  'repos',
  'repositories',
  'user',
  'users',
  'orgs',
  'organizations',
  'admin',
  'login',
  'logout',
  'session',
  'sessions',
  'settings',
  'docs',
  'healthz',
  'readyz',
  'metrics',
  'rate_limit',
  'notifications',
  'search',
  'issues',
  'events',
  'feeds',
  'gists',
  'hub',
  'meta',
  'emojis',
  'applications',
  'authorizations',
  'graphql',
  'assets',
  'avatars',
  'teams',
  'ghost',
]);

/** Why a text cannot be a login, as a sentence; undefined when it can. */
export function loginProblem(text: string): string | undefined {
  if (text.length > 39 || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/i.test(text)) {
    return 'login must be 1 to 39 letters, digits and single inner dashes';
  }
  if (isReserved(text)) {
    return `login '${text}' is reserved: paths of this server begin with it`;
  }
  return undefined;
}

/** Versions of the function interface are dates; a pattern, as `reservedLogins` are words. */
export const versionSegment = '\\d{4}-\\d\\d-\\d\\d';

/** Whether an address that begins with this word is the server's own. */
export function isReserved(login: string): boolean {
  return reservedLogins.has(caseless(login)) || new RegExp(`^${versionSegment}$`).test(login);
}

/** What logins and other names compare by. */
export function caseless(text: string): string {
  return text.toLowerCase();
}
