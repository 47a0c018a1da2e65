import type { ForgeSettings } from '../ports/settings.ts';
import { createUrls, type Urls } from '../json/urls.ts';

/** One address of this server, with all that begin with it. */
export interface Address {
  readonly baseUrl: string;
  readonly urls: Urls;
}

/** Finds the address a client used by its Host header: the configured one, or a loopback spelling of it. */
export function createAddressBook(
  settings: Pick<ForgeSettings, 'baseUrl' | 'loopbackBaseUrls'>,
): (host: string | undefined) => Address {
  const { baseUrl, loopbackBaseUrls } = settings;
  const main = { baseUrl, urls: createUrls(baseUrl) };
  const byHost = new Map(
    [...loopbackBaseUrls].map(([host, base]) => [host, { baseUrl: base, urls: createUrls(base) }]),
  );
  return (host) => byHost.get(host?.toLowerCase() ?? '') ?? main;
}
