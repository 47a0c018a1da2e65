import type { Random } from '#platform/random.ts';

import type { FunctionSettings } from '../ports/system-ports.ts';

/** The prefix of function URLs on the site's own origin; an id and a path follow it. */
export const urlPath = '/lambda-url/';

/** 32 letters and digits. */
export function makeUrlId(random: Random): string {
  return Array.from(random.bytes(32), (byte) => alphabet.charAt(byte & 31)).join('');
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** `https://ID.lambda-url.REGION.DOMAIN/`, with the scheme and the port of the base URL; without a domain, a path below it. */
export function urlAddress(
  { baseUrl, region, urlDomain }: Pick<FunctionSettings, 'baseUrl' | 'region' | 'urlDomain'>,
  urlId: string,
): string {
  if (urlDomain === undefined) return `${baseUrl}${urlPath}${urlId}/`;
  const { protocol, port } = new URL(baseUrl);
  const authority = `${urlId}.${urlLabel}.${region}.${urlDomain}`;
  return `${protocol}//${authority}${port === '' ? '' : `:${port}`}/`;
}

/** A request to a function URL. */
export interface UrlTarget {
  readonly urlId: string;
  /** The rest of the path, as received; begins with a slash. */
  readonly path: string;
  /** Whether the URL has an origin of its own, or is a path on that of the site. */
  readonly form: 'host' | 'path';
}

/**
 * Undefined for any other request. A host with the label `lambda-url` never belongs to the site, even with another id, region or
 * domain: otherwise a page there could send requests to the site as its own origin.
 */
export function readUrlTarget(target: string, host = ''): UrlTarget | undefined {
  if (isUrlHost(host)) {
    const urlId = urlHost.exec(host)?.groups?.['id']?.toLowerCase() ?? '';
    return { urlId, path: withSlash(target), form: 'host' };
  }
  if (!target.startsWith(urlPath)) return undefined;
  const [urlId = ''] = target.slice(urlPath.length).split(/[/?]/, 1);
  return { urlId, path: withSlash(target.slice(urlPath.length + urlId.length)), form: 'path' };
}

/** The path and the query of the rest of a request's path. */
export function splitPath(path: string): readonly [rawPath: string, rawQuery: string] {
  const mark = path.indexOf('?');
  return mark < 0 ? [path, ''] : [path.slice(0, mark), path.slice(mark + 1)];
}

export function isUrlHost(host: string): boolean {
  return urlLabels.test(host);
}

/** The router's path for function URLs: the rest belongs to the function, and need not be valid. */
export function urlRoute({ urlId }: UrlTarget): string {
  return `${urlPath}${urlForm.test(urlId) ? urlId : '-'}`;
}

function withSlash(target: string): string {
  return target.startsWith('/') ? target : `/${target}`;
}

const urlLabel = 'lambda-url';
const urlForm = /^[a-z2-7]{32}$/;
const urlLabels = /(?:^|\.)lambda-url\./i;
const urlHost = /^(?<id>[a-z2-7]{32})\.lambda-url\.[a-z0-9-]+\.[a-z0-9.-]+(?::\d+)?$/i;
