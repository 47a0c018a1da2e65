import type { Page } from '#forge/http/pagination.ts';
import { timestamp } from '#forge/json/json-values.ts';

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
  return String(value).replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A time in milliseconds since the epoch, shown in UTC. */
export function timeElement(at: number): Html {
  const text = timestamp(at);
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')}</time>`;
}

/** Links to the pages before and after this one; `address` is the list without its query. */
export function pageLinks(address: string, page: Page, hasNext: boolean): Html {
  const link = (number: number, label: string): Html =>
    html`<a href="${address}?page=${number}">${label}</a> `;
  return html`<p class="pages">
    ${page.number > 1 ? link(page.number - 1, 'Newer') : ''}${
      hasNext ? link(page.number + 1, 'Older') : ''
    }
  </p>`;
}
