import type { Urls } from '../urls.ts';
import { html, type Html } from './html.ts';

/** Relative, so that it is of the page's own origin whatever name the server was reached by. */
export const styleAddress = '/assets/site.css';

/** The frame of every page. No script runs in any of them (headers in web.ts). */
export function layout(title: string, body: Html, urls: Urls): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Hob</title>
        <link rel="stylesheet" href="${styleAddress}" />
      </head>
      <body>
        <header class="site">
          <nav><a href="${urls.web('/')}">Hob</a> <a href="${urls.docs('')}">Reference</a></nav>
        </header>
        <main>${body}</main>
      </body>
    </html> `;
}
