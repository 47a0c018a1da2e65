import type { Account } from './account.ts';

/** The permissions of GitHub Apps. Those without an endpoint here are stored and have no effect. */
export const appPermissionNames = [
  'actions',
  'administration',
  'checks',
  'contents',
  'deployments',
  'discussions',
  'environments',
  'issues',
  'members',
  'merge_queues',
  'metadata',
  'organization_administration',
  'organization_hooks',
  'organization_projects',
  'packages',
  'pages',
  'pull_requests',
  'repository_hooks',
  'repository_projects',
  'secrets',
  'security_events',
  'single_file',
  'statuses',
  'vulnerability_alerts',
  'workflows',
] as const;

export type AppPermissionName = (typeof appPermissionNames)[number];
export const appPermissionLevels = ['read', 'write'] as const;
export type AppPermissionLevel = (typeof appPermissionLevels)[number];
export type AppPermissions = Readonly<Partial<Record<AppPermissionName, AppPermissionLevel>>>;

/** One of the permissions with which an installation may call an endpoint. */
export type RequiredPermission = readonly [name: AppPermissionName, level: AppPermissionLevel];

/** Whether the permissions include one of the required ones. Write includes read. */
export function includesAny(
  permissions: AppPermissions,
  required: readonly RequiredPermission[],
): boolean {
  return required.some(([name, level]) => {
    const granted = permissions[name];
    return granted !== undefined && (granted === 'write' || level === 'read');
  });
}

/** The permissions that both have, at the lower level. */
export function commonPermissions(first: AppPermissions, second: AppPermissions): AppPermissions {
  const common: Partial<Record<AppPermissionName, AppPermissionLevel>> = {};
  for (const name of appPermissionNames) {
    const [one, other] = [first[name], second[name]];
    if (one && other) common[name] = one === 'write' && other === 'write' ? 'write' : 'read';
  }
  return common;
}

/** Permissions as the stores of Apps and installations wrote them. */
export function parsePermissions(json: string): AppPermissions {
  const permissions: AppPermissions = JSON.parse(json);
  return permissions;
}

export function parseEvents(json: string): readonly string[] {
  const events: readonly string[] = JSON.parse(json);
  return events;
}

/** A GitHub App. */
export interface App {
  readonly id: number;
  /** In its URLs and in the login of its bot. */
  readonly slug: string;
  readonly name: string;
  readonly owner: Account;
  readonly clientId: string;
  /** Verifies the signatures of its JSON Web Tokens; SPKI, PEM. */
  readonly publicKey: string;
  readonly description: string | null;
  readonly externalUrl: string;
  readonly hook: AppHook;
  /** Whether accounts other than its owner may install it. */
  readonly public: boolean;
  readonly permissions: AppPermissions;
  readonly events: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What the policies of functions name as the source of an App's webhook, instead of a repository. */
export function webhookSource({ slug }: Pick<App, 'slug'>): string {
  // No account can have this login.
  return `apps/${slug}`;
}

/** The webhook of an App, which gets the events of all its installations. */
export interface AppHook {
  readonly id: number;
  readonly url: string | null;
  readonly secret: string | null;
  readonly contentType: 'json' | 'form';
  readonly insecureSsl: boolean;
  readonly active: boolean;
}

/** An App on an account, with access to all of its repositories or to some. */
export interface Installation {
  readonly id: number;
  readonly appId: number;
  readonly appSlug: string;
  readonly clientId: string;
  readonly account: Account;
  readonly repositorySelection: 'all' | 'selected';
  readonly permissions: AppPermissions;
  readonly events: readonly string[];
  /** While it is suspended, it has no access and gets no events. Milliseconds since the epoch. */
  readonly suspendedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What a caller with an installation token may do. */
export interface InstallationGrant {
  readonly installationId: number;
  readonly appId: number;
  /** The owner of the repositories. */
  readonly accountId: number;
  readonly repositoryIds: ReadonlySet<number> | 'all';
  readonly permissions: AppPermissions;
  readonly token: InstallationToken;
}

/** The content of an installation token. */
export interface InstallationToken {
  readonly id: string;
  readonly installationId: number;
  /** null: all that the installation has access to. */
  readonly repositoryIds: readonly number[] | null;
  readonly permissions: AppPermissions;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Whether a repository is one of those that the caller has access to. */
export function coversRepository(
  { accountId, repositoryIds }: InstallationGrant,
  repository: { readonly id: number; readonly ownerId: number },
): boolean {
  // The selection may name a repository that has been transferred since.
  if (repository.ownerId !== accountId) return false;
  return repositoryIds === 'all' || repositoryIds.has(repository.id);
}

/** `The App` has the slug `the-app`; undefined if nothing of the name can be in a slug. */
export function slugOfApp(name: string): string | undefined {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? undefined : slug;
}
