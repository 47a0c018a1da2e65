import { timestamp } from '../../json/json-values.ts';
import { html, type Html } from '../kit/html.ts';

/** A time in milliseconds since the epoch, shown in UTC. */
export function timeElement(at: number): Html {
  const text = timestamp(at);
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')}</time>`;
}
