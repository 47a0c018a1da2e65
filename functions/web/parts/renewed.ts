import { liveScript } from '#web/assets.ts';
import { html } from '#web/html.ts';
import type { WebResponse } from '#web/web-response.ts';

/** What makes a page show what is under way: a script renews it, and without one the browser loads it again. */
export function renewedEvery(
  seconds: number,
): Pick<WebResponse & { kind: 'page' }, 'head' | 'script'> {
  return {
    script: liveScript,
    head: html`<noscript><meta http-equiv="refresh" content="${seconds}" /></noscript>`,
  };
}
