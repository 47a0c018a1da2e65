import { html, type Html } from '#web/html.ts';

/** Names and values of a thing; values that are absent are left out. */
export function factsView(
  facts: readonly (readonly [name: string, value: Html | string | number | undefined])[],
): Html {
  return html`<dl class="facts">
    ${facts
      .filter(([, value]) => value !== undefined && value !== '')
      .map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
  </dl>`;
}
