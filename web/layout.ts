import type { Urls } from '#forge/json/urls.ts';
import { html, type Html } from './html.ts';
import { hiddenToken, loginAddress } from './form.ts';

/** Relative, so that the origin is that of the page, whatever the host name. */
export const styleAddress = '/assets/site.css';

/** The data of the frame around a page. */
export interface Frame {
  readonly urls: Urls;
  /** Path and query of the page. */
  readonly address: string;
  /** The login of the signed-in user. */
  readonly login: string | undefined;
  readonly formToken: string | undefined;
  /** What the page itself puts into the head. */
  readonly head: Html | undefined;
}

/** The frame of every page. No script runs in any of them (headers in send-page.ts). */
export function layout(title: string, body: Html, frame: Frame): Html {
  const { urls } = frame;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Hob</title>
        <link rel="stylesheet" href="${styleAddress}" />
        ${frame.head}
      </head>
      <body>
        <header class="site">
          <nav>
            <a href="${urls.web('/')}">Hob</a> <a href="${urls.docs('')}">Reference</a>
            ${account(frame)}
          </nav>
        </header>
        <main>${body}</main>
      </body>
    </html> `;
}

function account({ urls, address, login, formToken }: Frame): Html {
  if (login === undefined || formToken === undefined) {
    return html`<a class="last" href="${loginAddress(address)}" rel="nofollow">Sign in</a>`;
  }
  return html`<a class="last" href="${urls.userHtml(login)}">${login}</a>
    <a href="/settings/tokens">Tokens</a> <a href="/settings/applications">Applications</a>
    <form method="post" action="/logout">${hiddenToken(formToken)}<button>Sign out</button></form>`;
}
