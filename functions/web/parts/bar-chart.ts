import { html, type Html } from '#web/html.ts';

interface BarChart {
  readonly title: string;
  readonly unit: string;
  /** From left to right; undefined: nothing was recorded. */
  readonly bars: readonly (number | undefined)[];
}

const width = 720;
const height = 96;

/** Bars as SVG, drawn here: no script, and no style in attributes, which the Content-Security-Policy refuses. */
export function barChart({ title, unit, bars }: BarChart): Html {
  const highest = Math.max(...bars.map((value) => value ?? 0));
  const step = width / bars.length;
  const label = `${title}: at most ${highest} ${unit}`.trim();
  return html`<svg
      class="chart"
      role="img"
      aria-label="${label}"
      viewBox="0 0 ${width} ${height}"
      preserveAspectRatio="none"
    >
      ${bars.map((value, index) => {
        if (value === undefined || highest === 0) return html``;
        const tall = (value / highest) * (height - 4);
        return html`<rect
          x="${(index * step + 1).toFixed(1)}"
          y="${(height - tall).toFixed(1)}"
          width="${(step - 2).toFixed(1)}"
          height="${tall.toFixed(1)}"
        />`;
      })}
    </svg>
    <p class="soft">${highest === 0 ? 'None.' : `At most ${highest} ${unit}`}</p>`;
}
