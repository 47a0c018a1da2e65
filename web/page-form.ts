import { hidden, problemView, tokenFor } from './form.ts';
import { html, type Html } from './html.ts';
import { textVersion } from './text-version.ts';

/** What came with a form that was refused. */
export interface RefusedForm {
  readonly act: string;
  readonly problem: string;
  readonly status: number;
  readonly fields: URLSearchParams;
}

/** Makes the forms of one page, each for one act below the page's URL. */
export interface PageForm {
  /** A form with its CSRF token, below the problem with which it was refused. */
  view(act: string, fields: Html, kind?: 'fields' | 'line' | 'upload'): Html;
  /** As above, for one of many rows with the same act: it has no id, and shows no problem. */
  row(act: string, fields: Html, kind?: 'fields' | 'line'): Html;
  /** What was filled in before the form was refused. */
  value(field: string, otherwise?: string): string;
  /** Whether a box with this value was checked then, or is `present`. */
  checked(field: string, value: string, present: boolean): boolean;
  /** Names what a form shows, by the sent field where it was refused, so that another version is noticed. */
  version(field: string, texts: readonly (string | null)[]): Html;
  /** The problem, while no form has shown it: the page may not have that form for this person any more. */
  problemLeft(): string | undefined;
}

/** The forms of a page for the session with this secret. `query` is what the page had in its URL, if it needs that when it is shown again. */
export function createPageForm(
  pageUrl: string,
  secret: string,
  refused: RefusedForm | undefined,
  query = '',
): PageForm {
  let left = refused?.problem;
  return {
    view(act, fields, kind = 'fields') {
      const problem = refused?.act === act ? refused.problem : undefined;
      if (problem !== undefined) left = undefined;
      return html`<form
        class="${kind === 'upload' ? 'fields' : kind}"
        method="post"
        action="${pageUrl}/${act}${query}"
        id="form-${act}"
        ${kind === 'upload' ? html`enctype="multipart/form-data"` : ''}
      >
        ${tokenFor(secret)} ${problemView(problem)} ${fields}
      </form>`;
    },
    row: (act, fields, kind = 'line') =>
      html`<form class="${kind}" method="post" action="${pageUrl}/${act}${query}">
        ${tokenFor(secret)} ${fields}
      </form>`,
    version: (field, texts) =>
      hidden(field, refused?.fields.get(field) ?? textVersion(secret, texts)),
    problemLeft: () => left,
    checked: (field, value, present) =>
      refused ? refused.fields.getAll(field).includes(value) : present,
    value: (field, otherwise = '') => refused?.fields.get(field) ?? otherwise,
  };
}
