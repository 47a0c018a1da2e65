import { html, type Html } from '#web/html.ts';

/** A label with its colour. An attribute of SVG, because pages have no styles of their own. */
export function labelMark({
  name,
  color,
}: {
  readonly name: string;
  readonly color: string;
}): Html {
  const fill = /^[0-9a-f]{6}$/i.test(color) ? html` fill="#${color}"` : '';
  return html`<span class="mark"
    ><svg class="swatch" viewBox="0 0 8 8" aria-hidden="true">
      <circle cx="4" cy="4" r="4" ${fill} />
    </svg>
    ${name}</span
  > `;
}
