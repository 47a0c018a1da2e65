import { isUrlHost } from '#functions/urls/url-address.ts';
import { OperatorError } from '#platform/operator-error.ts';
import type { Settings } from '#settings/setting-values.ts';

export interface PublicUrls {
  readonly baseUrl: string;
  /** Host header value to base URL, for the loopback names a client may have used. */
  readonly loopbackBaseUrls: ReadonlyMap<string, string>;
  /** The domain that the hosts of function URLs are in; undefined: they are paths below the base URL. */
  readonly urlDomain: string | undefined;
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** The base URL given out: the configured one, else where the server listens, spelled as the client spells it. */
export function publicUrls(
  settings: Pick<Settings, 'baseUrl' | 'host' | 'tls'> & {
    readonly functions: Pick<Settings['functions'], 'urlDomain'>;
  },
  port: number,
): PublicUrls {
  const { urlDomain } = settings.functions;
  if (settings.baseUrl !== undefined) {
    return {
      baseUrl: settings.baseUrl,
      loopbackBaseUrls: new Map(),
      urlDomain: functionUrlDomain(urlDomain, settings.baseUrl),
    };
  }
  const [scheme, usual] = settings.tls ? ['https', 443] : ['http', 80];
  const suffix = port === usual ? '' : `:${port}`;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const everywhere = host === '0.0.0.0' || host === '[::]';
  const baseUrl = `${scheme}://${everywhere ? 'localhost' : host}${suffix}`;
  return {
    baseUrl,
    urlDomain: functionUrlDomain(urlDomain, baseUrl),
    loopbackBaseUrls: new Map(
      loopbackNames.map((name) => [`${name}${suffix}`, `${scheme}://${name}${suffix}`]),
    ),
  };
}

/**
 * Every client resolves the host of the base URL. Hosts below another name are resolved only where the operator says so, or
 * where it is `localhost` (RFC 6761, section 6.3).
 */
function functionUrlDomain(chosen: string | undefined, baseUrl: string): string | undefined {
  const { protocol, hostname } = new URL(baseUrl);
  if (isUrlHost(hostname)) {
    throw new OperatorError(
      `The base URL ${baseUrl} contains the label "lambda-url", which is reserved for hosts of function URLs. Choose another host.`,
    );
  }
  if (chosen === 'none') return undefined;
  if (chosen === undefined) return isLoopback(hostname) ? 'localhost' : undefined;
  // Over HTTPS the prefix of the site's cookies prevents other hosts from setting them (web/cookies.ts).
  if (protocol === 'http:' && !isLoopback(hostname) && `.${chosen}`.endsWith(`.${hostname}`)) {
    throw new OperatorError(
      `HOB_FUNCTION_URL_DOMAIN ${chosen} is a subdomain of the base URL ${baseUrl}: without HTTPS, functions could set cookies for the site. Choose another domain, or serve HTTPS.`,
    );
  }
  return chosen;
}

function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
