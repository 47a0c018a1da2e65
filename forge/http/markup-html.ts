/**
 * HTML within Markdown, as far as GitHub allows it. Nothing of the source is passed on: tags are written anew from these lists, everything
 * else is text. So no element, attribute or URL is on a page that is not named here.
 */

const elements: ReadonlySet<string> = new Set(
  `a abbr b bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li
  mark ol p pre q rp rt ruby s samp small span strike strong sub summary sup table tbody td tfoot th thead time tr tt ul var wbr`.split(
    /\s+/,
  ),
);

const voidElements: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input', 'wbr']);

/** For all elements, and then for some. */
const attributes: ReadonlySet<string> = new Set(['align', 'dir', 'lang', 'title']);
const attributesOf: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  details: ['open'],
  img: ['alt', 'src', 'width', 'height'],
  ol: ['start', 'reversed'],
  td: ['colspan', 'rowspan', 'width'],
  th: ['colspan', 'rowspan', 'width'],
  time: ['datetime'],
};
const flags: ReadonlySet<string> = new Set(['open', 'reversed']);

export interface HtmlRules {
  /** The URL of a link or an image; undefined: it is left out. */
  readonly href: (text: string, kind: 'link' | 'image') => string | undefined;
  /** The id for one that the source names; undefined: it has none. */
  readonly id: (text: string) => string | undefined;
}

// Linear: nothing after the beginning of a tag takes `<`, and the name cannot give back what it took.
const piece =
  /<!--[^]*?(?:-->|$)|<(\/?)([a-z][a-z0-9-]*)(?![a-z0-9-])((?:"[^"<]*"|'[^'<]*'|[^"'<>])*)>|[&<>"]|[^&<>"]+/gi;
const attribute = /([a-z][a-z0-9-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/gi;
const entity = /^&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z0-9]{1,31});/i;

/** Programs and styles are not even shown. */
const dropped = /<(script|style)\b[^]*?(?:<\/\1\s*>|$)/gi;

/** HTML of the source, written anew. */
export function allowedHtml(source: string, rules: HtmlRules): string {
  const text = source.replaceAll(dropped, '');
  let written = '';
  for (const { 0: part, 1: slash, 2: name, 3: rest = '', index } of text.matchAll(piece)) {
    if (name !== undefined) written += tag(name.toLowerCase(), slash === '/', rest, rules);
    else if (part === '&' && entity.test(text.slice(index, index + 40))) written += '&';
    else if (!part.startsWith('<!--')) written += escaped(part);
  }
  return written;
}

function tag(name: string, closes: boolean, rest: string, rules: HtmlRules): string {
  if (!elements.has(name)) return '';
  if (closes) return voidElements.has(name) ? '' : `</${name}>`;
  const found = new Map<string, string>();
  for (const [, key = '', double, single, bare] of rest.matchAll(attribute)) {
    const value = decoded(double ?? single ?? bare ?? '');
    const [own, allowed] = allowedAttribute(name, key.toLowerCase(), value, rules) ?? [];
    if (own !== undefined && allowed !== undefined && !found.has(own)) found.set(own, allowed);
  }
  if (name === 'img') {
    // Of an image that is not shown, its text is.
    if (!found.has('src')) return escaped(found.get('alt') ?? '');
    // Screen readers say the URL of a picture without a text.
    if (!found.has('alt')) found.set('alt', '');
  }
  return `<${name}${[...found].map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')}>`;
}

function allowedAttribute(
  element: string,
  key: string,
  value: string,
  rules: HtmlRules,
): readonly [string, string | undefined] | undefined {
  if (key === 'id' || (key === 'name' && element === 'a')) return ['id', rules.id(value)];
  if (!attributes.has(key) && !attributesOf[element]?.includes(key)) return undefined;
  if (key === 'href') return [key, rules.href(value, 'link')];
  if (key === 'src') return [key, rules.href(value, 'image')];
  return [key, flags.has(key) ? '' : value];
}

/** The entities that stand in URLs. Others are not decoded, and then mean nothing in a protocol. */
function decoded(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * Depth of elements of HTML in Markdown; deeper ones are left out, as are those outside of what they belong to: the parser of
 * HTML would end elements of the page for them.
 */
const depthMax = 100;
const containers: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['caption', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr'].map((name) => [name, ['table']]),
  ),
  dd: ['dl'],
  dt: ['dl'],
  figcaption: ['figure'],
  li: ['ol', 'ul'],
  rp: ['ruby'],
  rt: ['ruby'],
  summary: ['details'],
};

/**
 * Closes what is open and leaves out what closes nothing, so that no text ends an element of the page around it. In rendered Markdown
 * each `<` begins a tag.
 */
export function balanced(rendered: string): string {
  const open: string[] = [];
  /** How many elements of each name are open: most closers of nothing are found at once. */
  const counts = new Map<string, number>();
  const count = (name: string, by: number): void => {
    counts.set(name, (counts.get(name) ?? 0) + by);
  };
  const isOpen = (name: string): boolean => (counts.get(name) ?? 0) > 0;
  const text = rendered.replaceAll(
    /<(\/?)([a-z][a-z0-9]*)(?![a-z0-9])[^>]*>/g,
    (whole, slash: string, name: string) => {
      if (slash === '') {
        const outside = Object.hasOwn(containers, name) && !containers[name]?.some(isOpen);
        if (outside) return '';
        if (voidElements.has(name)) return whole;
        if (open.length >= depthMax) return '';
        open.push(name);
        count(name, 1);
        return whole;
      }
      if (!isOpen(name)) return '';
      const closed = open.splice(open.lastIndexOf(name));
      for (const each of closed) count(each, -1);
      return closing(closed);
    },
  );
  return text + closing(open);
}

function closing(names: readonly string[]): string {
  return names
    .toReversed()
    .map((name) => `</${name}>`)
    .join('');
}
