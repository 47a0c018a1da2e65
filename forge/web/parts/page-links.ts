import type { Page } from '../../http/pagination.ts';
import { html, type Html } from '../kit/html.ts';

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
