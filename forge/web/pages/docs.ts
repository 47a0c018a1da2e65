import type { Endpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import type { Urls } from '../../json/urls.ts';
import { html, type Html } from '#web/html.ts';
import { endpointView } from '../parts/endpoint-view.ts';
import { page, type WebResponse } from '#web/web-response.ts';
import type { WebContext } from '../kit/web-context.ts';
import { mediaTypes, requestRules } from './docs-overview.ts';

export type DocsPage = (context: WebContext) => Promise<WebResponse>;

/**
 * The reference behind every `documentation_url`, generated from the declarations of the endpoints, so that it lists exactly
 * the endpoints that exist.
 */
export function docsPages(endpoints: readonly Endpoint[]): { index: DocsPage; chapter: DocsPage } {
  const groups = Map.groupBy(endpoints, (endpoint) => placeInReference(endpoint).group);
  return {
    index: async ({ urls }) => page('Reference', indexView(groups, urls)),
    async chapter({ path, urls }) {
      const name = path['*'] ?? '';
      if (name === 'overview/resources-in-the-rest-api') {
        return page('Requests and answers', requestRules(urls));
      }
      if (name === 'overview/media-types') return page('Media types', mediaTypes(urls));
      const group = /^reference\/([a-z-]+)$/.exec(name)?.[1];
      const members = (group === undefined ? undefined : groups.get(group)) ?? notFound();
      return page(`Reference: ${group}`, groupView(group ?? '', members));
    },
  };
}

/** `pulls#get-a-pull-request` in two. */
function placeInReference({ declaration }: Endpoint): { group: string; slug: string } {
  const [group = '', slug = ''] = declaration.docs.split('#');
  return { group, slug };
}

function indexView(groups: ReadonlyMap<string, readonly Endpoint[]>, urls: Urls): Html {
  return html`<h1>Reference</h1>
    <p>
      Every path is below <code>${urls.api('')}</code>. Rules that hold for all of them:
      <a href="${urls.docs('overview/resources-in-the-rest-api')}">requests and answers</a>,
      <a href="${urls.docs('overview/media-types')}">media types</a>.
    </p>
    ${[...groups].map(
      ([group, endpoints]) =>
        html`<h2>${group}</h2>
          <ul class="rows">
            ${endpoints.map((endpoint) => rowView(endpoint, urls))}
          </ul>`,
    )}`;
}

/** Without the origin, because the page has hundreds of rows. */
function rowView({ declaration }: Endpoint, urls: Urls): Html {
  const { method, path, docs } = declaration;
  const pageUrl = new URL(urls.docs(`reference/${docs}`));
  const link = html`<a class="grow" href="${pageUrl.pathname}${pageUrl.hash}">${path}</a>`;
  return html`<li><code>${method}</code> ${link}</li>`;
}

function groupView(group: string, endpoints: readonly Endpoint[]): Html {
  return html`<h1>${group}</h1>
    ${endpoints.map((endpoint) => endpointView(endpoint, placeInReference(endpoint).slug))}`;
}
