import { html, type Html } from '#web/html.ts';

/** Who may read a new repository. */
export function visibilityFields(isPrivate: boolean): Html {
  return html`<fieldset>
    <legend>Visibility</legend>
    ${choice('public', !isPrivate, 'Public: everybody who reaches this server can read it')}
    ${choice('private', isPrivate, 'Private: only people with access can read it')}
  </fieldset>`;
}

function choice(value: string, checked: boolean, label: string): Html {
  return html`<label
    ><input type="radio" name="visibility" value="${value}" ${checked ? html`checked` : ''} />
    ${label}</label
  > `;
}
