import { html, type Html } from '#web/html.ts';

import type { LogLine } from '../../logs/stream-reader.ts';

/** Lines of a log with their times; those that tell of an error have a mark beside their colour. */
export function logView(lines: readonly LogLine[]): Html {
  return html`<pre class="log" tabindex="0" aria-label="Log">${lines.map(lineView)}</pre>`;
}

function lineView({ at, text }: LogLine): Html {
  const time = new Date(at).toISOString();
  const stamp = html`<time datetime="${time}">${time.slice(11, 23)}</time>`;
  if (!tellsOfError(text)) return html`<span>${stamp} ${text}</span>`;
  return html`<span class="bad">${stamp} ✗ ${text}</span>`;
}

/** An application line of level ERROR, or a platform line about a failure. */
function tellsOfError(text: string): boolean {
  return /^\S+Z\t\S*\t(?:ERROR|FATAL)\t|"level":"(?:ERROR|FATAL)"|\tStatus: |"status":"(?:error|timeout|failure)"|Task timed out/i.test(
    text,
  );
}
