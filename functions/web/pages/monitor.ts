import { html, type Html } from '#web/html.ts';
import { page, type WebResponse } from '#web/web-response.ts';

import { functionAddress, functionPath } from '../kit/addresses.ts';
import type { ConsoleContext, ConsolePage } from '../kit/console-context.ts';
import { barChart } from '../parts/bar-chart.ts';
import { functionHead } from '../parts/function-head.ts';
import { readReport } from '../parts/invocation-report.ts';
import { loadConfiguration } from '../parts/load-function.ts';
import { periodIn, periods } from '../parts/periods.ts';
import { readRecentLines } from '../parts/recent-lines.ts';
import { type Reported, type Stretch, stretchesOf, stretchOf } from '../parts/report-statistics.ts';

export const monitorPage: ConsolePage = { path: functionPath('monitor'), show: showMonitor };

const reportsMax = 20_000;
const stretchCount = 24;

async function showMonitor(context: ConsoleContext): Promise<WebResponse> {
  const { path, query, now, ports } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const period = periodIn(query);
  const since = now - period.milliseconds;
  const { lines, more, truncated } = await readRecentLines(
    ports.logFolder,
    configuration.LoggingConfig?.LogGroup ?? '',
    { since, max: reportsMax, passes: (text) => readReport(text) !== undefined },
  );
  const reports = lines.flatMap(({ at, text }): readonly Reported[] => {
    const report = readReport(text);
    return report ? [{ at, ...report }] : [];
  });
  const stretches = stretchesOf(reports, { since, until: now, count: stretchCount });
  const address = functionAddress(name, 'monitor');
  return page(
    `Monitor · ${name}`,
    html`${functionHead(configuration, 'monitor')}
      <nav class="pages" aria-label="Period">
        ${periods.map(
          ({ value, label }) =>
            html`<a
              href="${address}?period=${value}"
              ${value === period.value ? html`aria-current="page"` : ''}
              >${label}</a
            > `,
        )}
      </nav>
      <p class="soft">
        From the reports in the log: each is of an invocation that ended. Throttled invocations, and
        errors that a handler returned, are not in them.
      </p>
      ${
        more || truncated
          ? html`<p class="notice">
              The log of this period is too long for a page: the figures are of a part of it. Choose
              a shorter period.
            </p>`
          : ''
      }
      ${
        reports.length === 0
          ? html`<p class="empty">
              The log has no report of this period. Choose a longer one, or
              <a href="${functionAddress(name, 'test')}">test the function</a>.
            </p>`
          : html`${chartsView(stretches)}
              <h2>The same in figures</h2>
              ${tableView(
                stretches.filter(({ invocations }) => invocations > 0),
                stretchOf(reports, since),
              )}`
      }`,
  );
}

function chartsView(stretches: readonly Stretch[]): Html {
  const chart = (
    title: string,
    unit: string,
    value: (stretch: Stretch) => number | undefined,
  ): Html =>
    html`<h2>${title}</h2>
      ${barChart({ title, unit, bars: stretches.map(value) })}`;
  return html`${chart('Invocations', '', ({ invocations }) => invocations)}
  ${chart('Timeouts and exits', '', ({ failures }) => failures)}
  ${chart('Duration, median', 'ms', ({ median }) => median)}
  ${chart('Duration, 99th percentile', 'ms', ({ percentile99 }) => percentile99)}`;
}

/** Times in UTC, as in logs. */
function tableView(stretches: readonly Stretch[], all: Stretch): Html {
  return html`<section class="wide" tabindex="0" aria-label="Figures">
    <table>
      <thead>
        <tr>
          <th scope="col">From (UTC)</th>
          <th scope="col">Invocations</th>
          <th scope="col">Timeouts and exits</th>
          <th scope="col">Cold starts</th>
          <th scope="col">Median (ms)</th>
          <th scope="col">99th percentile (ms)</th>
          <th scope="col">Peak memory (MB)</th>
        </tr>
      </thead>
      <tbody>
        ${stretches.map(
          (stretch) =>
            html`<tr>
              <th scope="row">
                ${new Date(stretch.from).toISOString().slice(0, 16).replace('T', ' ')}
              </th>
              ${cells(stretch)}
            </tr>`,
        )}
        <tr>
          <th scope="row">All</th>
          ${cells(all)}
        </tr>
      </tbody>
    </table>
  </section>`;
}

function cells({
  invocations,
  failures,
  coldStarts,
  median,
  percentile99,
  peakMemoryMiB,
}: Stretch): Html {
  return html`<td>${invocations}</td>
    <td>${failures}</td>
    <td>${coldStarts}</td>
    <td>${median}</td>
    <td>${percentile99}</td>
    <td>${peakMemoryMiB}</td>`;
}
