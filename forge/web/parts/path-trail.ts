import type { Urls } from '../../json/urls.ts';
import { html, type Html } from '../kit/html.ts';
import type { TreeLocation } from '../kit/revision.ts';

/** `main / src / app`: each part leads to its folder. */
export function pathTrail(location: TreeLocation, fullName: string, urls: Urls): Html {
  const parts = location.path === '' ? [] : location.path.split('/');
  const link = (count: number, label: string): Html => {
    const path = parts.slice(0, count).join('/');
    return html`<a href="${urls.treeHtml(fullName, location.revision, path)}">${label}</a>`;
  };
  return html`<p class="trail">
    ${link(0, location.revision)}${parts.map((part, index) =>
      index === parts.length - 1 ? html` / ${part}` : html` / ${link(index + 1, part)}`,
    )}
  </p>`;
}
