import { button } from '#web/fields.ts';
import { hidden, tokenField, tokenFor } from '#web/form.ts';
import { html } from '#web/html.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import type { ConsoleForm } from '../kit/console-context.ts';

const confirmedField = 'confirmed';

/** Asks before something is deleted: a page with the same form, which says that it was asked. Undefined once it was. */
export function askFirst(
  { form, user }: ConsoleForm,
  {
    question,
    label,
    target,
    back,
  }: {
    readonly question: string;
    readonly label: string;
    /** The URL of the form. */
    readonly target: string;
    readonly back: string;
  },
): WebResponse | undefined {
  if (form.get(confirmedField) === 'yes') return undefined;
  const fields = [...form].filter(([name]) => name !== tokenField && name !== confirmedField);
  return formPage(
    label,
    html`<section class="blank">
      <h1>${question}</h1>
      <p>This cannot be undone.</p>
      <form class="actions" method="post" action="${target}">
        ${tokenFor(user.secret)} ${fields.map(([name, value]) => hidden(name, value))}
        ${hidden(confirmedField, 'yes')} ${button(label, 'danger')}
        <a href="${back}">Cancel</a>
      </form>
    </section>`,
  );
}
