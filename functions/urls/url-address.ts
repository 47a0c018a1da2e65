import type { Random } from '#platform/random.ts';

import type { FunctionSettings } from '../settings.ts';

/** Where functions answer: what follows it is an id and a path. */
export const urlPath = '/lambda-url/';

/** 32 letters and digits. */
export function makeUrlId(random: Random): string {
  return Array.from(random.bytes(32), (byte) => alphabet.charAt(byte & 31)).join('');
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** The address that is told: it works without a name server. */
export function urlAddress({ baseUrl }: Pick<FunctionSettings, 'baseUrl'>, urlId: string): string {
  return `${baseUrl}${urlPath}${urlId}/`;
}

/** A request to a function's address. */
export interface UrlTarget {
  readonly urlId: string;
  /** Everything behind the address, as it came; begins with a slash. */
  readonly path: string;
}

/** Undefined for a request to anything else. An address is a path of ours, or `<id>.lambda-url.<region>.on.aws`. */
export function readUrlTarget(target: string, host: string | undefined): UrlTarget | undefined {
  const byHost = host === undefined ? undefined : urlHost.exec(host)?.groups?.['id'];
  if (byHost !== undefined) return { urlId: byHost.toLowerCase(), path: withSlash(target) };
  if (!target.startsWith(urlPath)) return undefined;
  const [urlId = ''] = target.slice(urlPath.length).split(/[/?]/, 1);
  return { urlId, path: withSlash(target.slice(urlPath.length + urlId.length)) };
}

/** Where the router finds what answers: the rest is the function's own, and need not be readable. */
export function urlRoute({ urlId }: UrlTarget): string {
  return `${urlPath}${urlForm.test(urlId) ? urlId : '-'}`;
}

function withSlash(target: string): string {
  return target.startsWith('/') ? target : `/${target}`;
}

const urlForm = /^[a-z2-7]{32}$/;
const urlHost = /^(?<id>[a-z2-7]{32})\.lambda-url\.[a-z0-9-]+\.on\.aws(:\d+)?$/i;
