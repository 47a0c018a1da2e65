import { html, type Html } from '#web/html.ts';
import { type DiffChoice, diffUrl } from '../kit/diff-choice.ts';

/** Links to the same diff, shown otherwise. */
export function diffToolbar(choice: DiffChoice): Html {
  const { layout, ignoreWhitespace } = choice;
  const link = (
    label: string,
    to: Pick<DiffChoice, 'layout' | 'ignoreWhitespace'>,
    present: boolean,
  ): Html =>
    html`<a href="${diffUrl(choice, to)}#files" ${present ? html`aria-current="true"` : ''}
      >${label}</a
    > `;
  return html`<nav class="actions" aria-label="How the diff is shown" id="diff">
    ${link('Unified', { layout: 'unified', ignoreWhitespace }, layout === 'unified')}
    ${link('Side by side', { layout: 'split', ignoreWhitespace }, layout === 'split')}
    ${link(ignoreWhitespace ? 'Show changes of spaces' : 'Ignore spaces', { layout, ignoreWhitespace: !ignoreWhitespace }, false)}
  </nav>`;
}
