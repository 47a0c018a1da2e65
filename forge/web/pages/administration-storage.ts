import { bytesText, html, type Html } from '#web/html.ts';
import { page, type WebResponse } from '#web/web-response.ts';

import { largestRepositories } from '../../site/storage-store.ts';
import type { WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { administrationHead } from '../parts/administration-views.ts';

/** Repositories on the page about storage, the largest. */
const repositoriesMax = 50;

/** What has the most bytes, so that an operator knows what fills the disk. */
export async function showStorage(context: WebContext & SignedIn): Promise<WebResponse> {
  const { ports, urls } = context;
  const repositories = await ports.database.read((sql) =>
    largestRepositories(sql, repositoriesMax),
  );
  const lists = (await ports.serverStatus?.storage()) ?? [];
  return page(
    'Storage · Administration',
    html`${administrationHead('Storage', context)}
      <p>What has the most bytes, the largest first.</p>
      <h3>Repositories</h3>
      <p class="soft">
        Objects of git and of Git LFS, as measured after the last push, and assets of releases.
      </p>
      ${listView(
        repositories.map(({ name, objectBytes, assetBytes }) => ({
          label: html`<a class="grow" href="${urls.repositoryHtml(name)}">${name}</a> ${
              assetBytes === 0
                ? ''
                : html`<span class="soft">of which assets ${bytesText(assetBytes)}</span>`
            }`,
          bytes: objectBytes + assetBytes,
        })),
      )}
      ${lists.map(
        ({ title, items }) =>
          html`<h3>${title}</h3>
            ${listView(
              items.map(({ name, bytes }) => ({
                label: html`<span class="grow">${name}</span>`,
                bytes,
              })),
            )}`,
      )}`,
  );
}

function listView(items: readonly { readonly label: Html; readonly bytes: number }[]): Html {
  if (items.length === 0) return html`<p class="empty">There is nothing yet.</p>`;
  return html`<ul class="rows">
    ${items.map(({ label, bytes }) => html`<li>${label} <span>${bytesText(bytes)}</span></li>`)}
  </ul>`;
}
