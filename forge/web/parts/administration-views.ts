import { textField } from '#web/fields.ts';
import { html, type Html } from '#web/html.ts';
import { navigationLink } from '#web/layout.ts';

import { administrationAddress } from '../kit/page-paths.ts';

/** The top of every page for site administrators. */
export function administrationHead(title: string, address: string): Html {
  const links = [
    { href: administrationAddress, label: 'Overview' },
    { href: `${administrationAddress}/users`, label: 'Users' },
    { href: `${administrationAddress}/organizations`, label: 'Organizations' },
    { href: `${administrationAddress}/applications`, label: 'Applications' },
    { href: `${administrationAddress}/webhooks`, label: 'Failing webhooks' },
    { href: `${administrationAddress}/server`, label: 'Server' },
  ];
  return html`<h1>Administration</h1>
    <nav class="tabs" aria-label="Administration">
      ${links.map((link) => html`${navigationLink(link, address)} `)}
    </nav>
    <h2>${title}</h2>`;
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
