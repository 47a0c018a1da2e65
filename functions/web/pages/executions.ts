import {
  getDurableExecution,
  getDurableExecutionHistory,
  listDurableExecutionsByFunction,
  stopDurableExecution,
} from '#functions-contract/operations/durable-executions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import { button } from '#web/fields.ts';
import { hidden } from '#web/form.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { page, type WebResponse } from '#web/web-response.ts';

import { invalidParameter } from '../../errors/functions-error.ts';
import { functionPath, functionRoute } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { askFirst } from '../parts/confirm.ts';
import { factsView } from '../parts/facts.ts';
import { functionHead } from '../parts/function-head.ts';
import { loadConfiguration } from '../parts/load-function.ts';
import { type HistoryEntry, timelineOf } from '../parts/execution-timeline.ts';
import { timelineView } from '../parts/execution-timeline-view.ts';
import { renewedEvery } from '../parts/renewed.ts';

export const executionsPage: ConsolePage = { path: functionRoute('executions'), show: showList };

export const executionPage: ConsolePage = {
  path: functionRoute('execution'),
  show: showExecution,
  acts: { stop: submitStop },
};

/** Durable executions on a page of their list. */
const pageSize = 50;
/** Events of a durable execution on its page. */
const eventsMax = 1000;
/** Time after which the page of a running execution is loaded again where no script renews it. */
const refreshSeconds = 2;

type Execution = StructureOf<(typeof getDurableExecution)['output']>;

async function showList(context: ConsoleContext): Promise<WebResponse> {
  const { run, path, query, now } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const marker = query.get('marker');
  const { DurableExecutions = [], NextMarker } = await run(listDurableExecutionsByFunction)({
    FunctionName: name,
    MaxItems: pageSize,
    ...(marker === null ? {} : { Marker: marker }),
  });
  const pageUrl = functionPath(name, 'executions');
  return page(
    `Durable executions · ${name}`,
    html`${functionHead(configuration, 'executions')}
    ${
      DurableExecutions.length === 0
        ? html`<p class="empty">
            ${
              configuration.DurableConfig
                ? 'There is no durable execution. Each invocation of the function begins one.'
                : 'The function is not durable. A function is created as durable with --durable-config.'
            }
          </p>`
        : html`<ul class="rows">
            ${DurableExecutions.map(
              (each) =>
                html`<li>
                  <a class="grow" href="${executionUrl(name, each.DurableExecutionArn)}"
                    >${each.DurableExecutionName}</a
                  >
                  ${statusMark(each.Status)} ${timeElement(milliseconds(each.StartTimestamp), now)}
                </li>`,
            )}
          </ul>`
    }
    ${
      NextMarker === undefined
        ? ''
        : html`<nav class="pages" aria-label="Pages of the list">
            <a href="${pageUrl}?marker=${encodeURIComponent(NextMarker)}">Earlier executions</a>
          </nav>`
    }`,
  );
}

function executionUrl(name: string, arn: string): string {
  return `${functionPath(name, 'execution')}?arn=${encodeURIComponent(arn)}`;
}

function statusMark(status: Execution['Status']): Html {
  const [kind, text] = marks[status];
  return html`<span class="state ${kind}">${text}</span>`;
}

const marks = {
  RUNNING: ['waiting', '◌ Running'],
  SUCCEEDED: ['good', '✓ Succeeded'],
  FAILED: ['bad', '✗ Failed'],
  TIMED_OUT: ['bad', '✗ Timed out'],
  STOPPED: ['soft', '– Stopped'],
} as const;

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}

async function showExecution(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const { run, path, query, user, now } = context;
  const { name = '' } = path;
  const arn = refused?.fields.get('arn') ?? query.get('arn');
  if (arn === null) return showList(context);
  const configuration = await loadConfiguration(context);
  const execution = await run(getDurableExecution)({ DurableExecutionArn: checked(arn, name) });
  const { Events, NextMarker } = await run(getDurableExecutionHistory)({
    DurableExecutionArn: arn,
    IncludeExecutionData: false,
    MaxItems: eventsMax,
  });
  const isRunning = execution.Status === 'RUNNING';
  const form = createPageForm(functionPath(name, 'execution'), user.secret, refused);
  const scale = {
    start: execution.StartTimestamp,
    end: execution.EndTimestamp ?? now / 1000,
  };
  const history = html`${factsOf(execution, now)}
    <h2>Timeline</h2>
    ${timelineView(timelineOf(Events), scale, now)}
    <h2>Events</h2>
    ${historyView(Events)}`;
  return {
    kind: 'page',
    title: `${execution.DurableExecutionName} · ${name}`,
    forms: [],
    status: refused?.status ?? 200,
    ...(isRunning ? renewedEvery(refreshSeconds) : {}),
    body: html`${functionHead(configuration, 'executions')}
      <h2>${execution.DurableExecutionName} ${statusMark(execution.Status)}</h2>
      ${isRunning ? html`<div data-live>${history}</div>` : history}
      ${NextMarker === undefined ? '' : html`<p class="soft">Later events are not shown.</p>`}
      ${
        isRunning
          ? html`<div class="actions">
              ${form.view(
                'stop',
                html`${hidden('arn', arn)} ${button('Stop execution', 'danger')}`,
                'line',
              )}
            </div>`
          : ''
      }`,
  };
}

/** The page of a function shows no execution of another one. */
function checked(arn: string, name: string): string {
  if (arn.split(':')[6] === name) return arn;
  throw invalidParameter(`${arn} is no durable execution of ${name}.`);
}

function factsOf(
  { DurableExecutionArn, Version, StartTimestamp, EndTimestamp, Result, Error: failure }: Execution,
  now: number,
): Html {
  return factsView([
    ['ARN', DurableExecutionArn],
    ['Version', Version],
    ['Started', timeElement(milliseconds(StartTimestamp), now)],
    [
      'Ended',
      EndTimestamp === undefined ? undefined : timeElement(milliseconds(EndTimestamp), now),
    ],
    ['Result', Result],
    ['Error', failure && `${failure.ErrorType ?? ''} ${failure.ErrorMessage ?? ''}`.trim()],
  ]);
}

/** Events in their order, each with its time since the first one. */
function historyView(events: readonly HistoryEntry[]): Html {
  const start = events[0]?.EventTimestamp ?? 0;
  return html`<ol class="rows">
    ${events.map(
      ({ EventId, EventType = '', EventTimestamp = start, Name, SubType, Id }) =>
        html`<li>
          <span class="soft">${EventId}</span>
          <span class="state ${kindOf(EventType)}">${EventType}</span>
          <span class="grow"
            >${Name ?? Id}
            ${SubType === undefined ? '' : html`<span class="soft">${SubType}</span>`}</span
          >
          <time datetime="${new Date(milliseconds(EventTimestamp)).toISOString()}"
            >+${(EventTimestamp - start).toFixed(3)} s</time
          >
        </li>`,
    )}
  </ol>`;
}

function kindOf(type: string): string {
  if (/(?:Failed|TimedOut)$/.test(type)) return 'bad';
  if (type.endsWith('Succeeded')) return 'good';
  return type.endsWith('Started') ? 'waiting' : 'soft';
}

async function submitStop(context: ConsoleForm): Promise<string | WebResponse> {
  const { run, path, form } = context;
  const { name = '' } = path;
  const arn = checked(form.get('arn') ?? '', name);
  const back = executionUrl(name, arn);
  const asked = askFirst(context, {
    question: `Stop the durable execution of ${name}?`,
    label: 'Stop execution',
    target: `${functionPath(name, 'execution')}/stop`,
    back,
  });
  if (asked) return asked;
  await run(stopDurableExecution)({ DurableExecutionArn: arn });
  return back;
}
