import { administrationHead } from '#web/administration.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import { page, type WebResponse } from '#web/web-response.ts';

import type { AuditEntry } from '../../audit/recent-lines.ts';
import { auditPath } from '../kit/paths.ts';
import type { ConsoleContext, ConsolePage } from '../kit/console-context.ts';

export const auditPage: ConsolePage = {
  path: auditPath,
  forSiteAdmins: true,
  show: showAudit,
};

/** Lines of the audit log on their page. */
const entriesMax = 100;
/** Parameters of such a line. */
const parameterCharactersMax = 200;

/** Who changed what last. */
async function showAudit({ ports, now, administration }: ConsoleContext): Promise<WebResponse> {
  const entries = await ports.audit.recent(entriesMax);
  return page(
    'Audit log · Administration',
    html`${administrationHead('Audit log', administration, auditPath)}
      <p>
        The last ${entriesMax} changes of functions, and acts of site administrators, newest first.
        The whole log is <code>functions/audit.log</code> in the data directory. Of several servers,
        each has a log of its own, and this is that of one.
      </p>
      ${
        entries.length === 0
          ? html`<p class="empty">Nothing has been changed yet.</p>`
          : html`<ul class="rows">
              ${entries.map((entry) => entryView(entry, now))}
            </ul>`
      }`,
  );
}

function entryView(entry: AuditEntry, now: number): Html {
  const { event = 'unreadable line', principal, sourceAddress, errorCode, parameters } = entry;
  const at = Date.parse(entry.time ?? '');
  return html`<li>
    <strong>${event}</strong>
    <span class="grow soft">${shortened(parameters)}</span>
    ${errorCode === undefined ? '' : html`<span class="bad">${errorCode}</span>`}
    <span>${principal?.split('/').at(-1)}</span> <span class="soft">${sourceAddress}</span>
    ${Number.isNaN(at) ? '' : timeElement(at, now)}
  </li>`;
}

function shortened(text: string): string {
  return text.length > parameterCharactersMax ? `${text.slice(0, parameterCharactersMax)}…` : text;
}
