import { reservedLogins, versionSegment } from '../../model/account.ts';

/** Where the home page is: the root itself belongs to the interface. No login begins with a dash. */
export const homeAddress = '/-/home';

/**
 * Sends browsers that ask for the root to the home page. They name HTML among what they accept, with XHTML or without any
 * wildcard; libraries that name it too, as Java's, add a wildcard only and want JSON.
 */
export function rewriteRoot(url: string, accept: string | undefined): string {
  if (url !== '/' || accept === undefined || !/\btext\/html\b/i.test(accept)) return url;
  const browser = /\bapplication\/xhtml\+xml\b/i.test(accept) || !accept.includes('*');
  return browser && !/[/+]json\b/i.test(accept) ? homeAddress : url;
}

const reservedNames = [...reservedLogins, versionSegment].join('|');

/**
 * The first segment of a page's path, as a route parameter that matches possible logins. Paths of the server itself must
 * fall through to other routes, even if no route exists.
 */
export const accountSegment = `:owner(^(?!(?:${reservedNames})$)[a-zA-Z0-9][a-zA-Z0-9-]*$)`;
