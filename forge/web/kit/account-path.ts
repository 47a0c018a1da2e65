import { reservedLogins, versionSegment } from '../../model/account.ts';

const reservedWords = [...reservedLogins, versionSegment].join('|');

/**
 * The first segment of a page's path, as a route parameter: what could be a login. Addresses of the server itself must
 * fall through to whoever owns them, also those that are nowhere.
 */
export const accountSegment = `:owner(^(?!(?:${reservedWords})$)[a-zA-Z0-9][a-zA-Z0-9-]*$)`;
