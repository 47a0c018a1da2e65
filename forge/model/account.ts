/** A user or an organization, which can own repositories, or the bot of a GitHub App. */
export interface Account {
  readonly id: number;
  readonly kind: 'user' | 'organization' | 'bot';
  /** In its original spelling; compared case-insensitively. */
  readonly login: string;
  readonly name: string | null;
  /** The primary address; null also where the user hides it. */
  readonly email: string | null;
  readonly company: string | null;
  readonly blog: string | null;
  readonly location: string | null;
  readonly bio: string | null;
  readonly siteAdmin: boolean;
  /** When a site administrator suspended the user, who cannot sign in by any credential; null: not. */
  readonly suspendedAt: number | null;
  /** The last zone the user named in a `Time-Zone` header (docs/specification/forge.md 7.4). */
  readonly timeZone: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

const botSuffix = '[bot]';

/** The login of the bot of an App. No user or organization can have one like it. */
export function botLogin(slug: string): string {
  return `${slug}${botSuffix}`;
}

export function isBotLogin(login: string): boolean {
  return login.endsWith(botSuffix);
}

/** The slug of the App of a bot. */
export function slugOfBot(login: string): string {
  return login.slice(0, -botSuffix.length);
}

/** The address in commits of a user who has none, or hides it. */
export function noreplyAddress({ id, login }: Pick<Account, 'id' | 'login'>): string {
  return `${id}+${login}@users.noreply.hob`;
}

/** Whether it has the form of an address that this server gives to users, or to itself: no user can add one. */
export function isNoreplyAddress(email: string): boolean {
  return /@(?:users\.noreply\.hob|hob)$/i.test(email);
}

/** The id of the user whose address that is; the login may be an old one. */
export function idOfNoreplyAddress(email: string): number | undefined {
  const [, id] = /^([1-9]\d{0,14})\+[^@]*@users\.noreply\.hob$/i.exec(email) ?? [];
  return id === undefined ? undefined : Number(id);
}

export type OrganizationRole = 'admin' | 'member';

/** First path segments of the server itself, which no account may use as login. */
export const reservedLogins: ReadonlySet<string> = new Set([
  'api',
  'repos',
  'repositories',
  'user',
  'users',
  'orgs',
  'organizations',
  'admin',
  'app',
  'app-manifests',
  'apps',
  'installation',
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
  'gitignore',
  'licenses',
  'networks',
]);

/** Login of a user or an organization. */
const loginCharactersMax = 39;

/** Why a text is not a valid login, as a message; undefined if it is valid. */
export function loginProblem(text: string): string | undefined {
  if (text.length > loginCharactersMax || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/i.test(text)) {
    return `login must be 1 to ${loginCharactersMax} letters, digits and single inner dashes`;
  }
  if (isReserved(text)) {
    return `login '${text}' is reserved: paths of this server begin with it`;
  }
  return undefined;
}

/** Paths of the AWS Lambda API begin with a date as version; `reservedLogins` cannot list them, so this is a pattern. */
export const versionSegment = '\\d{4}-\\d\\d-\\d\\d';

/** Whether paths that begin with this segment belong to the server. */
export function isReserved(login: string): boolean {
  return reservedLogins.has(caseless(login)) || new RegExp(`^${versionSegment}$`).test(login);
}

/** The form in which logins and other names are compared. */
export function caseless(text: string): string {
  return text.toLowerCase();
}
