import { html, type Html } from '#web/html.ts';

import type { FileChange } from '../../git/file-change.ts';

/** A button of the one form for all files, which is above them. */
export function viewedButton({ id, path }: FileChange, isViewed: boolean): Html {
  return html`<button
    type="submit"
    form="form-viewed"
    name="${isViewed ? 'unview' : 'view'}"
    value="${id}:${path}"
    aria-label="Mark ${path} as ${isViewed ? 'not viewed' : 'viewed'}"
  >
    ${isViewed ? 'Not viewed' : 'Viewed'}
  </button>`;
}
