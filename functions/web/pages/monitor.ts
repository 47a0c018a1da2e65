import { html, type Html } from '#web/html.ts';
import { page, type WebResponse } from '#web/web-response.ts';

import { listInvocationCounts } from '../../environments/pool/invocation-counts-store.ts';
import { countedMilliseconds } from '../../environments/pool/invocation-recorder.ts';
import { functionPath, functionRoute } from '../kit/paths.ts';
import type { ConsoleContext, ConsolePage } from '../kit/console-context.ts';
import { barChart } from '../parts/bar-chart.ts';
import { functionHead } from '../parts/function-head.ts';
import { readReport } from '../parts/invocation-report.ts';
import { loadConfiguration } from '../parts/load-function.ts';
import { periodIn, periods } from '../parts/periods.ts';
import { readRecentLines } from '../parts/recent-lines.ts';
import { type Counts, countsOf, none, totalOf } from '../parts/counted-invocations.ts';
import { type Reported, type Stretch, stretchesOf, stretchOf } from '../parts/report-statistics.ts';

export const monitorPage: ConsolePage = { path: functionRoute('monitor'), show: showMonitor };

/** Reports that charts are drawn from. */
const reportsMax = 20_000;
/** Bars of a chart. */
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
  const within = { since, until: now, count: stretchCount };
  const stretches = stretchesOf(reports, within);
  const counts = countsOf(
    await ports.database.read((sql) =>
      listInvocationCounts(sql, name, since - countedMilliseconds),
    ),
    within,
  );
  const all = totalOf(counts);
  const pageUrl = functionPath(name, 'monitor');
  return page(
    `Monitor · ${name}`,
    html`${functionHead(configuration, 'monitor')}
      <nav class="pages" aria-label="Period">
        ${periods.map(
          ({ value, label }) =>
            html`<a
              href="${pageUrl}?period=${value}"
              ${value === period.value ? html`aria-current="page"` : ''}
              >${label}</a
            > `,
        )}
      </nav>
      <p class="soft">
        Invocations, errors, throttles and concurrency are counted as invocations end, in steps of
        five minutes; the last ten seconds may be missing. Durations and memory are from the reports
        in the log.
      </p>
      ${
        more || truncated
          ? html`<p class="notice">
              The log of this period is too long for a page: durations and memory are of a part of
              it. Choose a shorter period.
            </p>`
          : ''
      }
      ${
        reports.length === 0 && all.invocations + all.throttles === 0
          ? html`<p class="empty">
              Nothing was invoked in this period. Choose a longer one, or
              <a href="${functionPath(name, 'test')}">test the function</a>.
            </p>`
          : html`${chartsView(stretches, counts)}
              <h2>The same in figures</h2>
              ${tableView(
                stretches
                  .map((stretch, index) => ({ stretch, count: counts[index] ?? none }))
                  .filter(
                    ({ stretch, count }) =>
                      stretch.invocations + count.invocations + count.throttles > 0,
                  ),
                { stretch: stretchOf(reports, since), count: all },
              )}`
      }`,
  );
}

function chartsView(stretches: readonly Stretch[], counts: readonly Counts[]): Html {
  return html`${chart(
    'Invocations',
    '',
    counts.map(({ invocations }) => invocations),
  )}
  ${chart(
    'Errors',
    '',
    counts.map(({ errors }) => errors),
  )}
  ${chart(
    'Throttles',
    '',
    counts.map(({ throttles }) => throttles),
  )}
  ${chart(
    'Concurrent invocations',
    '',
    counts.map(({ concurrency }) => concurrency),
  )}
  ${chart(
    'Duration, median',
    'ms',
    stretches.map(({ median }) => median),
  )}
  ${chart(
    'Duration, 95th percentile',
    'ms',
    stretches.map(({ percentile95 }) => percentile95),
  )}
  ${chart(
    'Duration, 99th percentile',
    'ms',
    stretches.map(({ percentile99 }) => percentile99),
  )}`;
}

function chart(title: string, unit: string, bars: readonly (number | undefined)[]): Html {
  return html`<h2>${title}</h2>
    ${barChart({ title, unit, bars })}`;
}

interface Figures {
  readonly stretch: Stretch;
  readonly count: Counts;
}

/** Times in UTC, as in logs. */
function tableView(figures: readonly Figures[], all: Figures): Html {
  return html`<section class="wide" tabindex="0" aria-label="Figures">
    <table>
      <thead>
        <tr>
          <th scope="col">From (UTC)</th>
          <th scope="col">Invocations</th>
          <th scope="col">Errors</th>
          <th scope="col">Throttles</th>
          <th scope="col">Concurrent</th>
          <th scope="col">Timeouts and exits</th>
          <th scope="col">Cold starts</th>
          <th scope="col">Median (ms)</th>
          <th scope="col">95th percentile (ms)</th>
          <th scope="col">99th percentile (ms)</th>
          <th scope="col">Peak memory (MB)</th>
        </tr>
      </thead>
      <tbody>
        ${figures.map(
          (each) =>
            html`<tr>
              <th scope="row">
                ${new Date(each.stretch.from).toISOString().slice(0, 16).replace('T', ' ')}
              </th>
              ${cells(each)}
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

function cells({ stretch, count }: Figures): Html {
  return html`<td>${count.invocations}</td>
    <td>${count.errors}</td>
    <td>${count.throttles}</td>
    <td>${count.concurrency}</td>
    <td>${stretch.failures}</td>
    <td>${stretch.coldStarts}</td>
    <td>${stretch.median}</td>
    <td>${stretch.percentile95}</td>
    <td>${stretch.percentile99}</td>
    <td>${stretch.peakMemoryMiB}</td>`;
}
