import type { Pull } from '../../model/pull.ts';
import { textArea, textField } from '#web/fields.ts';
import { hidden } from '#web/form.ts';
import { counted, html, type Html } from '#web/html.ts';
import type { LoadedPull } from './load-pull.ts';
import { changing, discussionSide, loginsForm, namesView, titleFields } from './discussion-side.ts';
import type { PageForm } from '#web/page-form.ts';
import { atLeast } from '../../model/permission.ts';

/** The state of a pull in a word and a colour. */
export function stateView(pull: Pull): Html {
  if (pull.merge) return html`<span class="state done">✓ Merged</span>`;
  if (pull.state === 'closed') return html`<span class="state bad">✗ Closed</span>`;
  if (pull.draft) return html`<span class="state soft">○ Draft</span>`;
  return html`<span class="state good">● Open</span>`;
}

/** The sidebar of the conversation. */
export function pullSide(loaded: LoadedPull, form: PageForm | undefined): Html {
  const { pull, accounts, reviewerIds, teams, permission } = loaded;
  const triages = form !== undefined && atLeast(permission, 'triage');
  return html`<section>
      <h2>Requested reviewers</h2>
      ${namesView(accounts, reviewerIds, 'No reviews requested.')}
      ${teams.map((name) => html`<p>${name}</p>`)}
      ${triages && pull.state === 'open' ? loginsForm(form, 'reviewers', accounts, reviewerIds) : ''}
    </section>
    ${discussionSide(loaded, pull.locked, form)}
    <section>
      <h2>Check out</h2>
      <pre tabindex="0">git fetch origin refs/pull/${pull.number}/head</pre>
    </section>`;
}

/** A comment, also with closing or reopening. */
export function commentForm({ pull, permission }: LoadedPull, form: PageForm): Html {
  if (pull.locked && !atLeast(permission, 'write')) {
    return html`<p class="empty">The conversation is locked.</p>`;
  }
  return form.view(
    'comment',
    html`${textArea({
        label: 'Comment, in Markdown',
        name: 'body',
        value: form.value('body'),
        required: true,
        prose: true,
      })} <button class="primary" type="submit">Comment</button>`,
  );
}

/** What the author and people with write access do with the pull itself. */
export function changeForms(loaded: LoadedPull, form: PageForm): Html {
  const { pull, mayEdit, mayMerge } = loaded;
  if (!mayEdit) return html``;
  const simple = (act: string, label: string): Html =>
    form.view(act, html`<button type="submit">${label}</button>`, 'line');
  return html`<div class="actions">
      ${pull.state === 'open' ? simple('close', 'Close') : ''}
      ${pull.state === 'closed' && !pull.merge ? simple('reopen', 'Reopen') : ''}
      ${
        pull.state === 'open'
          ? pull.draft
            ? simple('ready', 'Ready for review')
            : simple('draft', 'Convert to draft')
          : ''
      }
      ${
        pull.state === 'closed' && mayMerge && pull.head.repositoryId === pull.repositoryId
          ? form.view(
              'delete-branch',
              html`<button class="danger" type="submit">
                Delete the branch ${pull.head.ref}
              </button>`,
              'line',
            )
          : ''
      }
    </div>
    ${changing('Edit title, description and base', editForm(pull, form))}`;
}

/** What the form edits, by which it is noticed that others have changed it. */
export function editedParts({ title, body, base }: Pull): readonly (string | null)[] {
  return [title, body, base.ref];
}

function editForm(pull: Pull, form: PageForm): Html {
  return form.view(
    'edit',
    html`${form.version('version', editedParts(pull))} ${titleFields(form, pull)}
      ${
        pull.state === 'open'
          ? textField({
              label: 'Base branch',
              name: 'base',
              value: form.value('base', pull.base.ref),
              required: true,
              prose: true,
            })
          : ''
      } <button type="submit">Save</button>`,
  );
}

/** The review, with the pending comments on lines. */
export function reviewForm({ pull, pending, threads }: LoadedPull, form: PageForm): Html {
  if (pull.state !== 'open') return html``;
  const count = threads.filter(({ reviewId }) => reviewId === pending?.id).length;
  return html`<section class="card" id="review" aria-labelledby="review-title">
    <header><h2 id="review-title">Review the changes</h2></header>
    <div class="body">
      ${
        pending
          ? html`<p class="waiting">
              ● Your review has ${counted(count, 'comment')} that only you can see yet.
            </p>`
          : ''
      }
      ${form.view(
        'review',
        html`${hidden('commit_id', pull.head.sha)}
          ${textArea({
            label: 'Summary, in Markdown',
            name: 'body',
            value: form.value('body'),
            prose: true,
          })}
          <span class="actions">
            <button class="primary" type="submit" name="event" value="APPROVE">Approve</button>
            <button type="submit" name="event" value="REQUEST_CHANGES">Request changes</button>
            <button type="submit" name="event" value="COMMENT">Comment only</button>
          </span>`,
      )}
      ${
        pending
          ? form.view(
              'discard-review',
              html`<button class="danger" type="submit">Discard the review</button>`,
              'line',
            )
          : ''
      }
    </div>
  </section>`;
}
