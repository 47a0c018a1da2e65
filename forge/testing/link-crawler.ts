/** A URL that a response names, and where. */
export interface Link {
  readonly url: string;
  /** The field of the JSON, `href` of a page, or `start`. */
  readonly field: string;
  /** The URL of the response that names it. */
  readonly from: string;
}

/** A link that leads nowhere. */
export interface DeadLink extends Link {
  readonly reason: string;
}

export interface CrawledResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- as in test-forge.ts
  readonly body: any;
  readonly text: string;
}

export interface CrawlOptions {
  /** The origin to stay on. */
  readonly origin: string;
  readonly start: readonly string[];
  readonly get: (path: string) => Promise<CrawledResponse>;
  /** The values of the variables of a URI template (RFC 6570), by the URL before the expression; none: left out. */
  readonly expand: (template: string) => readonly string[];
  /** The most URLs that are requested. */
  readonly max: number;
}

/** Follows every URL of JSON and pages from the start; reports those that do not answer, and how many did. */
export async function crawl(
  options: CrawlOptions,
): Promise<{ dead: DeadLink[]; followed: number }> {
  const { origin, get, max } = options;
  const queue: Link[] = options.start.map((url) => ({
    url: `${origin}${url}`,
    field: 'start',
    from: '',
  }));
  const known = new Set<string>();
  /** The fragments of pages that were read, by URL. */
  const fragments = new Map<string, Set<string>>();
  const dead: DeadLink[] = [];
  for (let link = queue.shift(); link; link = queue.shift()) {
    if (known.has(link.url)) continue;
    known.add(link.url);
    const [url = '', fragment] = link.url.split('#');
    let ids = fragments.get(url);
    if (!ids) {
      if (fragments.size >= max) throw new Error(`more than ${max} URLs: ${link.url}`);
      const path = url.slice(origin.length) || '/';
      const response = await get(path);
      ids = idsIn(response);
      fragments.set(url, ids);
      if (response.status >= 400) dead.push({ ...link, reason: String(response.status) });
      else queue.push(...linksIn(response, url, options));
    }
    if (fragment !== undefined && fragment !== '' && !ids.has(decodeURIComponent(fragment))) {
      dead.push({ ...link, reason: 'no such fragment' });
    }
  }
  return { dead, followed: fragments.size };
}

function idsIn({ text, headers }: CrawledResponse): Set<string> {
  if (!isPage(headers)) return new Set();
  return new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => unescaped(id)));
}

function linksIn(response: CrawledResponse, from: string, options: CrawlOptions): Link[] {
  const { origin, expand } = options;
  const { location } = response.headers;
  const found: [field: string, url: string][] = isPage(response.headers)
    ? [...response.text.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, url = '']) => [
        'href',
        new URL(unescaped(url), from).href,
      ])
    : [...fieldsOf(response.body)];
  if (location !== undefined) found.push(['location', new URL(location, from).href]);
  return found
    .filter(([, url]) => url.startsWith(`${origin}/`) || url === origin)
    .flatMap(([field, url]) =>
      (url.includes('{') ? expand(url) : [url]).map((each) => ({
        url: each,
        field,
        from,
      })),
    );
}

/** The fields of a JSON value that are URLs. */
function* fieldsOf(value: unknown, field = ''): Generator<[string, string]> {
  if (typeof value === 'string') {
    if (/(?:^|_)(?:url|href)$/.test(field)) yield [field, value];
  } else if (Array.isArray(value)) {
    for (const each of value) yield* fieldsOf(each, field);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) yield* fieldsOf(each, name);
  }
}

function isPage(headers: CrawledResponse['headers']): boolean {
  return headers['content-type']?.startsWith('text/html') ?? false;
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
