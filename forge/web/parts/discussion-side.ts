import type { Account } from '../../model/account.ts';
import { lockReasons } from '../../model/issue.ts';
import type { NotificationReason, ThreadSubscription } from '../../model/notification.ts';
import { atLeast } from '../../model/permission.ts';
import { button, selectField, textArea, textField } from '#web/fields.ts';
import { checkbox, hidden } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import type { Discussed } from './load-pull.ts';
import { loginOf } from './conversation.ts';
import type { PageForm } from '#web/page-form.ts';
import { labelMark } from './label-mark.ts';

/** Assignees, labels, milestone and lock of an issue or pull, with the forms that change them. */
export function discussionSide(
  discussed: Discussed,
  locked: boolean,
  form: PageForm | undefined,
): Html {
  const { accounts, assigneeIds, labels, milestone, permission } = discussed;
  const triages = form !== undefined && atLeast(permission, 'triage');
  return html`<section>
      <h2>Assignees</h2>
      ${namesView(accounts, assigneeIds, 'None yet.')}
      ${triages ? loginsForm(form, 'assignees', accounts, assigneeIds) : ''}
    </section>
    <section>
      <h2>Labels</h2>
      ${labels.length === 0 ? html`<p class="soft">None yet.</p>` : labels.map(labelMark)}
      ${triages ? labelsForm(form, discussed) : ''}
    </section>
    <section>
      <h2>Milestone</h2>
      <p>${milestone?.title ?? html`<span class="soft">None yet.</span>`}</p>
      ${triages ? milestoneForm(form, discussed) : ''}
    </section>
    ${
      form !== undefined && atLeast(permission, 'write')
        ? html`<section>
            <h2>Conversation</h2>
            ${locked ? form.view('unlock', html`<button type="submit">Unlock</button>`) : lockForm(form)}
          </section>`
        : locked
          ? html`<section>
              <h2>Conversation</h2>
              <p>Locked: only people with write access can comment.</p>
            </section>`
          : ''
    }
    ${form && discussed.subscription ? subscriptionView(discussed.subscription, form) : ''}`;
}

/** Why the viewer gets the notifications of this conversation, and the form that changes it. */
function subscriptionView(subscription: ThreadSubscription, form: PageForm): Html {
  const subscribe = form.view('subscribe', button('Subscribe'), 'line');
  const unsubscribe = form.view('unsubscribe', button('Unsubscribe'), 'line');
  const [text, act] = ((): readonly [string, Html | string] => {
    switch (subscription.state) {
      case 'subscribed':
        return [`You get them because ${becauseOf[subscription.reason]}.`, unsubscribe];
      case 'unsubscribed':
        return ['You get them if you are mentioned, assigned or asked for a review.', subscribe];
      case 'ignored':
        return subscription.of === 'thread'
          ? ['You ignore this conversation.', subscribe]
          : ['You ignore the repository, so you get none.', ''];
    }
  })();
  return html`<section>
    <h2>Notifications</h2>
    <p class="soft">${text}</p>
    ${act}
  </section>`;
}

/** Why an account gets a notification, in words. */
export const becauseOf: Readonly<Record<NotificationReason, string>> = {
  assign: 'you are assigned',
  author: 'you are the author',
  comment: 'you commented',
  manual: 'you subscribed to it',
  mention: 'you were mentioned',
  review_requested: 'your review was requested',
  subscribed: 'you watch the repository',
};

export function namesView(
  accounts: ReadonlyMap<number, Account>,
  ids: readonly number[],
  none: string,
): Html {
  if (ids.length === 0) return html`<p class="soft">${none}</p>`;
  return html`<ul class="plain">
    ${ids.map((id) => html`<li><a href="/${loginOf(accounts, id)}">${loginOf(accounts, id)}</a></li> `)}
  </ul>`;
}

/** Opens where something was refused, so that the problem is seen. */
export function changing(summary: string, form: Html): Html {
  const open = form.toString().includes('class="problem"');
  return html`<details ${open ? html`open` : ''}>
    <summary>${summary}</summary>
    ${form}
  </details>`;
}

/** The field with what the form of logins showed. */
export function shownField(act: 'assignees' | 'reviewers'): string {
  return `shown_${act}`;
}

/** Changes a list of logins: who is assigned, or asked for a review. */
export function loginsForm(
  form: PageForm,
  act: 'assignees' | 'reviewers',
  accounts: ReadonlyMap<number, Account>,
  ids: readonly number[],
): Html {
  const present = ids.map((id) => loginOf(accounts, id));
  const field = shownField(act);
  return changing(
    `Change ${act}`,
    form.view(
      act,
      html`${hidden(field, form.value(field, JSON.stringify(present)))}
        ${textField({
          label: 'Logins, separated by commas',
          name: act,
          value: form.value(act, present.join(', ')),
        })} <button type="submit">Save ${act}</button>`,
    ),
  );
}

/** The title and description of an issue or pull, in its form. */
export function titleFields(
  form: PageForm,
  { title, body }: { readonly title: string; readonly body: string | null },
): Html {
  return html`${textField({
    label: 'Title',
    name: 'title',
    value: form.value('title', title),
    maxLength: 256,
    required: true,
    prose: true,
  })}
  ${textArea({
    label: 'Description, in Markdown',
    name: 'description',
    value: form.value('description', body ?? ''),
    prose: true,
  })}`;
}

function labelsForm(form: PageForm, { choices, labels }: Discussed): Html {
  const present = labels.map(({ name }) => name);
  // Those of the issue are offered also where the repository has too many.
  const offered = new Set([...choices.labels.map(({ name }) => name), ...present]);
  return changing(
    'Change labels',
    form.view(
      'labels',
      html`${hidden('present', JSON.stringify(present))}
        <fieldset>
          <legend>Labels</legend>
          ${[...offered].map((name) => checkbox('labels', name, present.includes(name)))}
        </fieldset>
        ${textField({
          label: 'Another label',
          name: 'new_label',
          value: form.value('new_label'),
          maxLength: 50,
          prose: true,
        })}
        <button type="submit">Save labels</button>`,
    ),
  );
}

function milestoneForm(form: PageForm, { choices, milestone }: Discussed): Html {
  const isOffered = choices.milestones.some(({ number }) => number === milestone?.number);
  // That of the issue may be closed: a browser would send none instead.
  const offered = [...choices.milestones, ...(milestone && !isOffered ? [milestone] : [])];
  return changing(
    'Change milestone',
    form.view(
      'milestone',
      html`${selectField({
          label: 'Milestone',
          name: 'milestone',
          value: milestone ? String(milestone.number) : '',
          options: [
            { value: '', label: 'None' },
            ...offered.map(({ number, title }) => ({
              value: String(number),
              label: title,
            })),
          ],
        })} <button type="submit">Save milestone</button>`,
    ),
  );
}

function lockForm(form: PageForm): Html {
  return changing(
    'Lock conversation',
    form.view(
      'lock',
      html`<p>Only people with write access can then comment.</p>
        ${selectField({
          label: 'Reason',
          name: 'lock_reason',
          options: [{ value: '', label: 'No reason' }, ...lockReasons],
        })}
        <button type="submit">Lock</button>`,
    ),
  );
}
