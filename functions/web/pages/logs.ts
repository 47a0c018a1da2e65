import { button, selectField, textField } from '#web/fields.ts';
import { problemView } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import type { WebResponse } from '#web/web-response.ts';

import { readLogs } from '../../logs/read-logs.ts';

import { readFilterPattern } from '../../cloudwatch-logs/filter-pattern.ts';
import { invalidParameter, ServiceError } from '../../errors/functions-error.ts';
import { functionPath, functionRoute } from '../kit/paths.ts';
import type { ConsoleContext, ConsolePage, ServerSentEvent } from '../kit/console-context.ts';
import { functionHead } from '../parts/function-head.ts';
import { loadConfiguration } from '../parts/load-function.ts';
import { lineView, logView } from '../parts/log-view.ts';
import { renewedEvery } from '../parts/renewed.ts';
import { periodIn, periods } from '../parts/periods.ts';
import { readRecentLines, type RecentLines } from '../parts/recent-lines.ts';

export const logsPage: ConsolePage = {
  path: functionRoute('logs'),
  show: showLogs,
  events: followLog,
};

/** Lines of a log on a page. */
const linesMax = 500;
/** Time after which the page of a log that is followed is loaded again where no script renews it. */
const refreshSeconds = 2;

async function showLogs(context: ConsoleContext): Promise<WebResponse> {
  const { path, query, now, ports } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const period = periodIn(query);
  const filter = query.get('filter') ?? '';
  const follows = query.get('follow') === '1';
  const group = configuration.LoggingConfig?.LogGroup ?? '';
  const pattern = readPattern(filter);
  const found =
    'problem' in pattern
      ? undefined
      : await readRecentLines(ports.logFolder, group, {
          since: now - period.milliseconds,
          max: linesMax,
          passes: pattern.passes,
        });
  const pageUrl = functionPath(name, 'logs');
  const same = new URLSearchParams({ period: period.value, filter }).toString();
  return {
    kind: 'page',
    title: `Logs · ${name}`,
    forms: [],
    status: found ? 200 : 400,
    ...(follows ? renewedEvery(refreshSeconds) : {}),
    body: html`${functionHead(configuration, 'logs')}
      <p class="soft">Log group <code>${group}</code></p>
      <form class="line" method="get" action="${pageUrl}">
        ${problemView('problem' in pattern ? pattern.problem : undefined)}
        ${selectField({ label: 'Period', name: 'period', value: period.value, options: periods })}
        ${textField({ label: 'Filter pattern', name: 'filter', value: filter })}
        ${button('Show', 'primary')}
      </form>
      <p>
        ${
          follows
            ? html`Following: new lines appear at the end.
                <a href="${pageUrl}?${same}">Stop following</a>`
            : html`<a href="${pageUrl}?${`${same}&follow=1`}">Follow</a>`
        }
      </p>
      ${found ? linesView(found, filter, follows ? `${pageUrl}/events?${same}` : undefined) : ''}`,
  };
}

function linesView(
  { lines, more, truncated }: RecentLines,
  filter: string,
  events: string | undefined,
): Html {
  if (lines.length === 0) {
    return html`<p class="empty" data-until-followed>
        ${
          filter === ''
            ? 'Nothing was logged in this period. Choose a longer one, or test the function.'
            : 'No line of this period matches the filter pattern.'
        }
      </p>
      ${events === undefined ? '' : logView([], { events, linesMax })}`;
  }
  return html`${
    more ? html`<p class="soft">The last ${linesMax} lines; earlier ones are not shown.</p>` : ''
  }
  ${
    truncated
      ? html`<p class="notice">
          The log of this period is too long for a page: these lines are of its beginning. Choose a
          shorter period.
        </p>`
      : ''
  }
  ${logView(lines, events === undefined ? undefined : { events, linesMax })}`;
}

/** A filter pattern of CloudWatch Logs. */
function readPattern(
  text: string,
): { readonly passes: (line: string) => boolean } | { readonly problem: string } {
  try {
    return { passes: readFilterPattern(text) };
  } catch (error) {
    if (error instanceof ServiceError) return { problem: error.message };
    throw error;
  }
}

/** New lines as markup. The id of an event is its position: the time of the line, and how many lines of that time have come. */
async function followLog(
  context: ConsoleContext,
  lastEventId: string | undefined,
): Promise<(ended: AbortSignal) => AsyncGenerator<ServerSentEvent>> {
  const { query, now, ports } = context;
  const { LoggingConfig } = await loadConfiguration(context);
  const pattern = readPattern(query.get('filter') ?? '');
  if ('problem' in pattern) throw invalidParameter(pattern.problem);
  const position = /^(\d{1,15})\.(\d{1,6})$/.exec(lastEventId ?? query.get('from') ?? '');
  const since = position ? Number(position[1]) : now;
  return async function* lines(ended) {
    let at = since;
    let count = 0;
    const seen = position ? Number(position[2]) : 0;
    const group = LoggingConfig?.LogGroup ?? '';
    for await (const line of readLogs(ports.logFolder, group, { since, follow: ended })) {
      if (!pattern.passes(line.text)) continue;
      count = line.at === at ? count + 1 : 1;
      at = line.at;
      if (at === since && count <= seen) continue;
      yield { id: `${at}.${count}`, data: lineView(line).toString() };
    }
  };
}
