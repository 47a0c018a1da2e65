import { html } from './html.ts';
import type { Link } from './layout.ts';
import type { WebResponse } from './web-response.ts';

/** What went wrong, said to a person, with the ways on from there. */
export interface PageError {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly retryAfterSeconds?: number | undefined;
}

export function errorPage(
  { status, title, text, retryAfterSeconds }: PageError,
  waysOn: readonly Link[],
): WebResponse & { kind: 'page' } {
  return {
    kind: 'page',
    status,
    title,
    retryAfterSeconds,
    body: html`<section class="blank">
      <p class="code">${status}</p>
      <h1>${title}</h1>
      <p>${text}</p>
      <ul class="ways">
        ${waysOn.map(({ href, label }) => html`<li><a href="${href}">${label}</a></li> `)}
      </ul>
    </section>`,
  };
}
