import { html, type Html } from '#web/html.ts';

import type { LogLine } from '../../logs/stream-reader.ts';

/** How a script continues a log (web/live.mjs). */
interface Following {
  /** The URL of the lines that come, with a query. */
  readonly events: string;
  /** Earlier lines than this many are removed from the page. */
  readonly linesMax: number;
}

/** Lines of a log with their times; errors have a mark in addition to their colour. */
export function logView(lines: readonly LogLine[], following?: Following): Html {
  const rest = following ? followAttributes(lines, following) : html``;
  return html`<pre class="log" tabindex="0" role="log" aria-label="Log" ${rest}>
${lines.map(lineView)}</pre>`;
}

function followAttributes(lines: readonly LogLine[], { events, linesMax }: Following): Html {
  const at = lines.at(-1)?.at;
  const from =
    at === undefined ? '' : `&from=${at}.${lines.filter((line) => line.at === at).length}`;
  const hidden = at === undefined ? html`hidden` : '';
  return html`data-follow="${events}${from}" data-lines-max="${linesMax}" ${hidden}`;
}

export function lineView({ at, text }: LogLine): Html {
  const time = new Date(at).toISOString();
  const stamp = html`<time datetime="${time}">${time.slice(11, 23)}</time>`;
  if (!isError(text)) return html`<span>${stamp} ${text}</span>`;
  return html`<span class="bad">${stamp} ✗ ${text}</span>`;
}

/** An application line of level ERROR, or a platform line about a failure. */
function isError(text: string): boolean {
  return /^\S+Z\t\S*\t(?:ERROR|FATAL)\t|"level":"(?:ERROR|FATAL)"|\tStatus: |"status":"(?:error|timeout|failure)"|Task timed out/i.test(
    text,
  );
}
