import type { FileChange } from '../../git/file-change.ts';
import type { SignImageUrl } from '../../http/images/image-url.ts';
import { diffLines } from '../../model/diff-lines.ts';
import type { ReviewComment } from '../../model/review-comment.ts';
import {
  commentedLines,
  commentParts,
  lineRange,
  suggestionDigest,
} from '../../review-comments/suggestion.ts';
import { directionNoticeOf } from '#web/direction-notice.ts';
import { textArea, textField } from '#web/fields.ts';
import { html, type Html } from '#web/html.ts';
import type { PageForm } from '#web/page-form.ts';
import { changing } from './discussion-side.ts';
import type { CommentedLine } from './diff-view.ts';
import { markdownView } from './markdown-view.ts';
import type { LinkText } from './references.ts';

export const suggestionsAct = 'apply-suggestions';

/** The text of a review comment, its suggestions as small diffs. */
export function commentText(
  comment: ReviewComment,
  {
    applicable,
    ...views
  }: {
    readonly link: LinkText;
    readonly imageUrl: SignImageUrl;
    readonly applicable: boolean;
  },
): Html {
  const parts = commentParts(comment.body).map((part) =>
    part.kind === 'markdown'
      ? markdownView(part.text, views)
      : suggestionView(comment, part, applicable),
  );
  return html`${parts}`;
}

/** Whether a comment has something to apply. */
export function hasSuggestion({ body }: ReviewComment): boolean {
  return commentParts(body).some(({ kind }) => kind === 'suggestion');
}

/** The one form of all suggestions of a page: their buttons and boxes belong to it. */
export function suggestionsForm(form: PageForm): Html {
  return html`<section aria-labelledby="suggestions">
    <h2 id="suggestions">Suggested changes</h2>
    ${form.view(
      suggestionsAct,
      html`<p>
          Apply a suggestion where it stands, or choose several there and commit them together.
          Their authors become co-authors of the commit.
        </p>
        ${changing(
          'Message of the commit',
          html`${textField({
            label: 'Title',
            name: 'commit_title',
            value: form.value('commit_title'),
            maxLength: 256,
            prose: true,
          })}
          ${textArea({
            label: 'Description',
            name: 'commit_message',
            value: form.value('commit_message'),
            prose: true,
          })}`,
        )}
        <button type="submit">Commit the chosen suggestions</button>`,
    )}
  </section>`;
}

function suggestionView(
  comment: ReviewComment,
  { index, lines }: { readonly index: number; readonly lines: readonly string[] },
  applicable: boolean,
): Html {
  const removed = commentedLines(comment);
  const [first, last] = lineRange(comment.position);
  const about = `of lines ${first} to ${last} of ${comment.position.path}`;
  const name = `${comment.id}:${index}`;
  const value = `${name}:${suggestionDigest(lines)}`;
  return html`<section class="card diff" aria-label="Suggested change ${index + 1} ${about}">
    <header>
      <span class="grow">Suggested change</span>
      ${
        applicable && removed
          ? html`<label
                ><input
                  type="checkbox"
                  name="suggestion"
                  value="${value}"
                  form="form-${suggestionsAct}"
                />
                Choose</label
              >
              <button
                type="submit"
                name="only"
                value="${value}"
                form="form-${suggestionsAct}"
                aria-label="Apply the suggestion ${index + 1} ${about}"
              >
                Apply
              </button>`
          : ''
      }
    </header>
    ${directionNoticeOf(lines)}
    <div class="lines" role="group" tabindex="0" aria-label="Lines of the suggested change ${name}">
      <table>
        <tbody>
          ${(removed ?? []).map((text) => lineView('removed', '-', text))}
          ${lines.map((text) => lineView('added', '+', text))}
        </tbody>
      </table>
    </div>
  </section>`;
}

function lineView(kind: 'removed' | 'added', sign: string, text: string): Html {
  return html`<tr class="${kind}">
    <td class="text">${sign}${text}</td>
  </tr>`;
}

/** A block that suggests the line of a diff as it is, to begin with. */
export function suggestionOf(files: readonly FileChange[], at: CommentedLine | undefined): string {
  const file = at && files.find(({ path }) => path === at.path);
  const found = diffLines(file?.patch ?? '').find(({ right }) => right === at?.line);
  const text = found && file?.patch?.split('\n')[found.position];
  if (text === undefined || at?.side !== 'RIGHT') return '';
  // A fence is longer than any in it (CommonMark 4.5).
  let fence = '```';
  for (const [run] of text.matchAll(/`{3,}/g)) {
    if (run.length >= fence.length) fence = `${run}\``;
  }
  return `${fence}suggestion\n${text.slice(1).replace(/\r$/, '')}\n${fence}`;
}
