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

/** `1.5 kB`, in powers of 1000. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit += 1) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? ''}`;
}
