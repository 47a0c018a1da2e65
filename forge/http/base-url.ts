import type { ForgeSettings } from '../ports/ports.ts';
import { createUrls, type Urls } from '../json/urls.ts';

/** A base URL of this server, with the URLs derived from it. */
export interface BaseUrl {
  readonly baseUrl: string;
  readonly urls: Urls;
}

/** Finds the base URL that a client used by its Host header: the configured one, or a loopback alias of it. */
export function createBaseUrlResolver(
  settings: Pick<ForgeSettings, 'baseUrl' | 'loopbackBaseUrls' | 'sshPort'>,
): (host: string | undefined) => BaseUrl {
  const { baseUrl, loopbackBaseUrls, sshPort } = settings;
  const main = { baseUrl, urls: createUrls(baseUrl, sshPort) };
  const byHost = new Map(
    [...loopbackBaseUrls].map(([host, base]) => [
      host,
      { baseUrl: base, urls: createUrls(base, sshPort) },
    ]),
  );
  return (host) => byHost.get(host?.toLowerCase() ?? '') ?? main;
}
