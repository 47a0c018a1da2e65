import { reservedLogins, versionSegment } from '../../model/account.ts';

/** Where users enter the code of a program. */
export const devicePath = '/login/device';

/** Where the home page is: the root itself belongs to the interface. No login begins with a dash. */
export const homePath = '/-/home';

/** The form for an import. */
export const importPath = '/-/import';

/** The public repositories. */
export const explorePath = '/-/explore';

/** The notifications of the viewer. */
export const inboxPath = '/-/notifications';

/** The form for a new repository. */
export const newRepositoryPath = '/-/new';

/** The invitations of the viewer to all repositories. */
export const invitationsPath = '/-/invitations';

/** The pages for site administrators. */
export const administrationPath = '/-/admin';

/** The viewer's profile. */
export const profilePath = '/settings/profile';

/** The target of the forms that follow users. */
export const followsPath = '/-/follows';

/** Where the pages of an organization begin: `/orgs` belongs to the interface. */
export function organizationPath(login: string): string {
  return `/-/orgs/${login}`;
}

/** The form for a new organization. No page of an organization has this URL: each is below its login. */
export const newOrganizationPath = '/-/orgs/new';

/** A team: its URL by `html_url` belongs to the interface. */
export const teamPath = '/-/orgs/:org/teams/:team';

/** Pages that people know by a path that belongs to the interface. */
const pagesOfApiPaths: Readonly<Record<string, string>> = {
  '/': homePath,
  '/notifications': inboxPath,
  '/issues': '/search?type=issues&q=is:open+is:issue+assignee:@me',
};

/** The URL of the page for a browser that asks for a path of the interface which people know as that of a page. */
export function rewriteToPage(url: string, accept: string | undefined): string {
  const [path = '', query] = url.split('?', 2);
  const isOrganizationPage = /^\/orgs\/[^/]+\/(?:people|teams(?:\/[^/]+)?)$/.test(path);
  if (isOrganizationPage && isBrowser(accept)) return `/-${url}`;
  const page = Object.hasOwn(pagesOfApiPaths, path) ? pagesOfApiPaths[path] : undefined;
  if (page === undefined || !isBrowser(accept)) return url;
  if (query === undefined) return page;
  // The first of equal parameters counts.
  const [pagePath = '', usual] = page.split('?', 2);
  return `${pagePath}?${usual === undefined ? query : `${query}&${usual}`}`;
}

/**
 * Whether a request is a browser's for a page. Browsers name HTML among what they accept, with XHTML or without any wildcard;
 * libraries that name it too, as Java's, add a wildcard only and want JSON.
 */
export function isBrowser(accept: string | undefined): boolean {
  if (accept === undefined || !/\btext\/html\b/i.test(accept)) return false;
  const wantsPage = /\bapplication\/xhtml\+xml\b/i.test(accept) || !accept.includes('*');
  return wantsPage && !/[/+]json\b/i.test(accept);
}

const reservedNames = [...reservedLogins, versionSegment].join('|');

/**
 * The first segment of a page's path, as a route parameter that matches possible logins. Paths of the server itself must
 * fall through to other routes, even if no route exists.
 */
export const accountSegment = `:owner(^(?!(?:${reservedNames})$)[a-zA-Z0-9][a-zA-Z0-9-]*$)`;
