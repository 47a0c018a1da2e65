import type { Urls } from '../../json/urls.ts';
import { html, type Html } from '../kit/html.ts';
import type { CodePlace } from '../kit/revision.ts';

/** `main / src / app`: each part leads to its folder. */
export function pathTrail(place: CodePlace, fullName: string, urls: Urls): Html {
  const parts = place.path === '' ? [] : place.path.split('/');
  const link = (count: number, words: string): Html => {
    const path = parts.slice(0, count).join('/');
    return html`<a href="${urls.treeHtml(fullName, place.revision, path)}">${words}</a>`;
  };
  return html`<p class="trail">
    ${link(0, place.revision)}${parts.map((part, index) =>
      index === parts.length - 1 ? html` / ${part}` : html` / ${link(index + 1, part)}`,
    )}
  </p>`;
}
