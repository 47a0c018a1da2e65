import type { FunctionSettings } from '../ports/system-ports.ts';
import { readUrlTarget, urlAddress, urlPath, type UrlTarget } from '../urls/url-address.ts';

type AddressSettings = Pick<
  FunctionSettings,
  'baseUrl' | 'loopbackBaseUrls' | 'region' | 'urlDomain'
>;

/**
 * The target of a URL at which this server answers for its functions: a path on the site's own origin, or a host in the domain of
 * function URLs. Undefined for any other, such as another port, or a function URL of AWS.
 */
export function ownFunctionUrl(settings: AddressSettings, url: URL): UrlTarget | undefined {
  const target = `${url.pathname}${url.search}`;
  if (siteOrigins(settings).includes(url.origin)) {
    return target.startsWith(urlPath) ? readUrlTarget(target) : undefined;
  }
  if (settings.urlDomain === undefined) return undefined;
  const { protocol, host } = new URL(urlAddress(settings, 'id'));
  const ofAll = host.slice('id'.length);
  if (url.protocol !== protocol || !url.host.endsWith(ofAll)) return undefined;
  return readUrlTarget(target, url.host);
}

/** The origin of the base URL, and of the loopback names that stand for it. */
function siteOrigins({ baseUrl, loopbackBaseUrls }: AddressSettings): string[] {
  return [baseUrl, ...loopbackBaseUrls.values()].map((each) => new URL(each).origin);
}
