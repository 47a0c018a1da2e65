import type { Settings } from '#settings';

export interface Addresses {
  readonly baseUrl: string;
  /** Host header value to base URL, for the loopback names a client may have used. */
  readonly loopbackBaseUrls: ReadonlyMap<string, string>;
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** The address given out in URLs: the configured one, else where the server listens, spelled as the client spells it. */
export function addressesOf(
  settings: Pick<Settings, 'baseUrl' | 'host' | 'tls'>,
  port: number,
): Addresses {
  if (settings.baseUrl !== undefined) {
    return { baseUrl: settings.baseUrl, loopbackBaseUrls: new Map() };
  }
  const [scheme, usual] = settings.tls ? ['https', 443] : ['http', 80];
  const suffix = port === usual ? '' : `:${port}`;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const everywhere = host === '0.0.0.0' || host === '[::]';
  return {
    baseUrl: `${scheme}://${everywhere ? 'localhost' : host}${suffix}`,
    loopbackBaseUrls: new Map(
      loopbackNames.map((name) => [`${name}${suffix}`, `${scheme}://${name}${suffix}`]),
    ),
  };
}
