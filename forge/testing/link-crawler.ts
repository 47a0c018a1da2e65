/** An address that a response names, and where. */
export interface Link {
  readonly address: string;
  /** The member of the JSON, `href` of a page, or `start`. */
  readonly member: string;
  /** The address of the response that names it. */
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
  /** The values of the variables of a URI template (RFC 6570), by the address before the expression; none: left out. */
  readonly expand: (template: string) => readonly string[];
  /** The most addresses that are requested. */
  readonly max: number;
}

/** Follows every address of JSON and pages from the start; reports those that do not answer, and how many did. */
export async function crawl(
  options: CrawlOptions,
): Promise<{ dead: DeadLink[]; followed: number }> {
  const { origin, get, max } = options;
  const queue: Link[] = options.start.map((address) => ({
    address: `${origin}${address}`,
    member: 'start',
    from: '',
  }));
  const known = new Set<string>();
  /** The fragments of pages that were read, by address. */
  const fragments = new Map<string, Set<string>>();
  const dead: DeadLink[] = [];
  for (let link = queue.shift(); link; link = queue.shift()) {
    if (known.has(link.address)) continue;
    known.add(link.address);
    const [address = '', fragment] = link.address.split('#');
    let ids = fragments.get(address);
    if (!ids) {
      if (fragments.size >= max) throw new Error(`more than ${max} addresses: ${link.address}`);
      const path = address.slice(origin.length) || '/';
      const response = await get(path);
      ids = idsIn(response);
      fragments.set(address, ids);
      if (response.status >= 400) dead.push({ ...link, reason: String(response.status) });
      else queue.push(...linksIn(response, address, options));
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
  const found: [member: string, address: string][] = isPage(response.headers)
    ? [...response.text.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, address = '']) => [
        'href',
        new URL(unescaped(address), from).href,
      ])
    : [...membersOf(response.body)];
  if (location !== undefined) found.push(['location', new URL(location, from).href]);
  return found
    .filter(([, address]) => address.startsWith(`${origin}/`) || address === origin)
    .flatMap(([member, address]) =>
      (address.includes('{') ? expand(address) : [address]).map((each) => ({
        address: each,
        member,
        from,
      })),
    );
}

/** The members of a JSON value that are addresses. */
function* membersOf(value: unknown, member = ''): Generator<[string, string]> {
  if (typeof value === 'string') {
    if (/(?:^|_)(?:url|href)$/.test(member)) yield [member, value];
  } else if (Array.isArray(value)) {
    for (const each of value) yield* membersOf(each, member);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) yield* membersOf(each, name);
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
