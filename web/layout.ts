import { type Asset, icon, style } from './assets.ts';
import { html, type Html, trusted } from './html.ts';

export interface Link {
  readonly href: string;
  readonly label: string;
  /** Keys that lead there, `g n`, where the user wants shortcuts. */
  readonly shortcut?: string;
}

/** What a service puts around its pages. */
export interface Frame {
  /** The pages that every page leads to; the first is the home page. */
  readonly links: readonly Link[];
  /** Path and query of the page: a link to it is marked as the present one. */
  readonly pageUrl: string;
  /** The account of the viewer, or where to sign in. */
  readonly account: Html;
  /** Whether the viewer can turn shortcuts on and off. */
  readonly shortcuts?: boolean;
  /** Whether `account` has a form. */
  readonly forms: boolean;
}

/** What the browser remembers of its user. */
export interface Preferences {
  readonly theme?: string | undefined;
  readonly shortcuts?: boolean;
}

/** The frame of every page; `theme` is `light`, `dark` or that of the system. No script runs but the page's own (headers in send-page.ts). */
export function layout(
  page: {
    readonly title: string;
    readonly body: Html;
    readonly head?: Html | undefined;
    readonly script?: Asset | undefined;
  },
  { links, account, pageUrl }: Frame,
  { theme = '', shortcuts = false }: Preferences = {},
): Html {
  const [home, ...others] = links;
  return html`<!doctype html>
    <html
      lang="en"
      ${theme === '' ? '' : html`class="${theme}"`}
      ${shortcuts ? html`data-shortcuts` : ''}
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title} · Hob</title>
        <link rel="icon" href="${iconUrl}" type="image/svg+xml" />
        <link rel="stylesheet" href="${style.path}" />
        ${page.head}
        ${page.script && html`<script type="module" src="${page.script.path}"></script>`}
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        <header class="site">
          <nav aria-label="Site">
            <a class="brand" href="${home?.href ?? '/'}">${brandMark} Hob</a>
            ${others.map((link) => navigationLink(link, pageUrl))}
          </nav>
          <div class="account">${account}</div>
        </header>
        <main id="content" tabindex="-1">${page.body}</main>
        <footer class="site">
          <p>Hob · <a href="/docs/rest">API reference</a></p>
        </footer>
      </body>
    </html> `;
}

/** In the page, because each page may take few requests: with a picture of an account, no more than four. */
const iconUrl = `data:image/svg+xml;base64,${icon.body.toString('base64')}`;

const brandMark = trusted(
  icon.body.toString().trim().replace('<svg ', '<svg width="20" height="20" role="none" '),
);

/** A link of a navigation, marked where it leads to the present page. */
export function navigationLink({ href, label, shortcut }: Link, pageUrl: string): Html {
  const present = new URL(href, 'http://page').pathname === pageUrl.split('?', 1)[0];
  return html`<a ${shortcutOf(shortcut)} href="${href}" ${present ? html`aria-current="page"` : ''}
    >${label}</a
  >`;
}

/** What a link has for its shortcut (shortcuts.mjs). */
export function shortcutOf(shortcut: string | undefined): Html | string {
  return shortcut === undefined ? '' : html`data-shortcut="${shortcut}"`;
}
