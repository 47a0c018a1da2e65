import { administrationHead as headOf } from '#web/administration.ts';
import { textField } from '#web/fields.ts';
import { html, type Html } from '#web/html.ts';

import { administrationLinks } from '../kit/administration-links.ts';
import type { WebContext } from '../kit/web-context.ts';

/** The top of every page for site administrators. */
export function administrationHead(
  title: string,
  { ports, address }: Pick<WebContext, 'ports' | 'address'>,
): Html {
  return headOf(title, administrationLinks(ports), address);
}

/** Searches accounts by a part of their login. */
export function loginSearch(address: string, text: string): Html {
  return html`<form class="line" method="get" action="${address}">
    ${textField({ label: 'Login contains', name: 'q', value: text })}
    <button type="submit">Search</button>
  </form>`;
}

/** The address of a list with its search. */
export function searchedAddress(address: string, text: string): string {
  return text === '' ? address : `${address}?q=${encodeURIComponent(text)}`;
}
