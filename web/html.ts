/** Markup that needs no escaping. Only `html` and `trusted` create it, so text cannot become markup by accident. */
export class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

/** A template whose values are escaped, unless they are markup themselves. Attribute values must be in double quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const parts = strings.map(
    (text, index) => text + (index < values.length ? write(values[index]) : ''),
  );
  return new Html(parts.join(''));
}

/** For markup that another library has made safe. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

function write(value: HtmlValue): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'object') return value.map(write).join('');
  return escapeText(String(value));
}

/** For markup that is built by hand, because the spaces of a template would be seen. */
export function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A time in milliseconds since the epoch: how long ago it was, with the exact time in the title. */
export function timeElement(at: number, now: number): Html {
  const exact = `${new Date(at).toISOString().slice(0, 19)}Z`;
  const title = `${exact.slice(0, 16).replace('T', ' ')} UTC`;
  return html`<time datetime="${exact}" title="${title}">${relativeTime(at, now)}</time>`;
}

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** `3 hours ago`, `in 2 days`. Clocks of other machines may be ahead by seconds, so less than a minute is `just now`. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.abs(now - at) / 1000;
  const unit = units.find(([, size]) => seconds >= size);
  if (!unit) return 'just now';
  const count = counted(Math.floor(seconds / unit[1]), unit[0]);
  return at <= now ? `${count} ago` : `in ${count}`;
}

/** `1 commit`, `2 commits`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Links to the pages before and after this one; `pageUrl` may have a query. */
export function pageLinks(
  pageUrl: string,
  page: { readonly number: number },
  hasNext: boolean,
): Html {
  const separator = pageUrl.includes('?') ? '&' : '?';
  const link = (number: number, label: string): Html =>
    html`<a href="${pageUrl}${separator}page=${number}">${label}</a> `;
  if (page.number === 1 && !hasNext) return html``;
  return html`<nav class="pages" aria-label="Pages of the list">
    ${page.number > 1 ? link(page.number - 1, 'Newer') : ''}${
      hasNext ? link(page.number + 1, 'Older') : ''
    }
  </nav>`;
}

/** `1.5 kB`, in powers of 1000. */
export function bytesText(bytes: number): string {
  const names = ['bytes', 'kB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < names.length - 1; unit += 1) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(1)} ${names[unit] ?? ''}`;
}
