import { html, type Html } from './html.ts';
import { type Link, navigationLink } from './layout.ts';

/** The top of every page for site administrators. */
export function administrationHead(title: string, links: readonly Link[], pageUrl: string): Html {
  return html`<h1>Administration</h1>
    <nav class="tabs" aria-label="Administration">
      ${links.map((link) => html`${navigationLink(link, pageUrl)} `)}
    </nav>
    <h2>${title}</h2>`;
}
