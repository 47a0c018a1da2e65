/** What a token may be used for (docs/specification/forge.md 3.5). A password may be used for everything its account may do. */
export const scopes = [
  'repo',
  'repo:status',
  'repo_deployment',
  'public_repo',
  'repo:invite',
  'admin:org',
  'write:org',
  'read:org',
  'admin:public_key',
  'write:public_key',
  'read:public_key',
  'admin:repo_hook',
  'write:repo_hook',
  'read:repo_hook',
  'notifications',
  'user',
  'read:user',
  'user:email',
  'user:follow',
  'delete_repo',
  'gist',
  'workflow',
  'site_admin',
] as const;

export type Scope = (typeof scopes)[number];

/** `password`: not narrowed by scopes. */
export type Scopes = ReadonlySet<Scope> | 'password';

/** A scope holds the narrower ones below it. */
const contains: Partial<Record<Scope, readonly Scope[]>> = {
  repo: ['repo:status', 'repo_deployment', 'public_repo', 'repo:invite'],
  'admin:org': ['write:org', 'read:org'],
  'write:org': ['read:org'],
  'admin:public_key': ['write:public_key', 'read:public_key'],
  'write:public_key': ['read:public_key'],
  'admin:repo_hook': ['write:repo_hook', 'read:repo_hook'],
  'write:repo_hook': ['read:repo_hook'],
  user: ['read:user', 'user:email', 'user:follow'],
};

export function parseScope(text: string): Scope | undefined {
  return scopes.find((scope) => scope === text);
}

/** Whether a token with these scopes holds the wanted one, directly or inside a wider one. */
export function holds(held: Scopes, wanted: Scope): boolean {
  if (held === 'password' || held.has(wanted)) return true;
  return [...held].some((scope) => contains[scope]?.includes(wanted) ?? false);
}

export function holdsAny(held: Scopes, wanted: readonly Scope[]): boolean {
  return wanted.some((scope) => holds(held, scope));
}

/** Drops scopes that are inside another one of the list, and repeats. */
export function widest(wanted: readonly Scope[]): Scope[] {
  const unique = [...new Set(wanted)];
  return unique.filter((scope) => !unique.some((other) => contains[other]?.includes(scope)));
}

/** As in `X-OAuth-Scopes`: alphabetical. */
export function scopeList(held: readonly Scope[]): string {
  return held.toSorted().join(', ');
}
