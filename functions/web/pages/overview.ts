import { deleteFunction, getFunction } from '#functions-contract/operations/functions.ts';
import { bytesText, counted, html, type Html, timeElement } from '#web/html.ts';
import { button } from '#web/fields.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import type { WebResponse } from '#web/web-response.ts';

import { functionPath, functionRoute, functionsPath } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { askFirst } from '../parts/confirm.ts';
import { factsView } from '../parts/facts.ts';
import { logView } from '../parts/log-view.ts';
import { readRecentLines } from '../parts/recent-lines.ts';
import { renewedEvery } from '../parts/renewed.ts';
import { type FunctionConfiguration, functionHead, isChanging } from '../parts/function-head.ts';

export const overviewPage: ConsolePage = {
  path: functionRoute(),
  show: showOverview,
  acts: { delete: submitDeletion },
};

/** Time after which the page of a function that is changed is loaded again where no script renews it. */
const refreshSeconds = 2;

/** Lines of the log that say why a start failed. */
const initLinesMax = 30;

async function showOverview(
  { run, path, now, ports, user }: ConsoleContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { name = '' } = path;
  const {
    Configuration = {},
    Code,
    Tags,
    Concurrency,
  } = await run(getFunction)({
    FunctionName: name,
  });
  const { LastModified } = Configuration;
  return {
    kind: 'page',
    title: `${name} · Functions`,
    forms: [],
    ...(refused ? { status: refused.status } : {}),
    ...(isChanging(Configuration) ? renewedEvery(refreshSeconds) : {}),
    body: html`${functionHead(Configuration, '')}
      ${isChanging(Configuration) ? html`<div data-live>${updateView(Configuration)}</div>` : updateView(Configuration)}
      ${await failedStartLog(ports, Configuration)}
      <h2>Configuration</h2>
      ${factsView([
        ['Description', Configuration.Description],
        ['Package type', Configuration.PackageType === 'Image' ? 'Container image' : 'Zip archive'],
        ['Image', Code?.ImageUri],
        ['Runtime', Configuration.Runtime],
        ['Handler', Configuration.Handler],
        ['Architecture', Configuration.Architectures?.join(', ')],
        ['Memory', `${Configuration.MemorySize ?? 0} MB`],
        ['Timeout', counted(Configuration.Timeout ?? 0, 'second')],
        ['Ephemeral storage', `${Configuration.EphemeralStorage?.Size ?? 0} MB`],
        ['Execution role', Configuration.Role],
        ['Reserved concurrency', Concurrency?.ReservedConcurrentExecutions],
        [
          'Environment variables',
          Object.keys(Configuration.Environment?.Variables ?? {}).join(', '),
        ],
        ['Layers', Configuration.Layers?.map(({ Arn }) => Arn).join(', ')],
        ['Log group', Configuration.LoggingConfig?.LogGroup],
        [
          'Last modified',
          LastModified === undefined ? undefined : timeElement(Date.parse(LastModified), now),
        ],
        ['Revision', Configuration.RevisionId],
      ])}
      <h2>Code</h2>
      ${factsView([
        ['Package size', bytesText(Configuration.CodeSize ?? 0)],
        ['SHA-256', Configuration.CodeSha256],
      ])}
      <h2>Tags</h2>
      ${tagsView(Tags ?? {})}
      ${createPageForm(functionPath(name), user.secret, refused).view('delete', button('Delete function', 'danger'), 'line')}`,
  };
}

async function submitDeletion(context: ConsoleForm): Promise<string | WebResponse> {
  const { run, path } = context;
  const { name = '' } = path;
  const asked = askFirst(context, {
    question: `Delete the function ${name}, with all of its versions and aliases?`,
    label: 'Delete function',
    target: `${functionPath(name)}/delete`,
    back: functionPath(name),
  });
  if (asked) return asked;
  await run(deleteFunction)({ FunctionName: name });
  return functionsPath;
}

/** What the last change came to; nothing where it has simply succeeded. */
function updateView({
  State,
  StateReason,
  StateReasonCode,
  LastUpdateStatus,
  LastUpdateStatusReason,
  LastUpdateStatusReasonCode,
}: FunctionConfiguration): Html {
  if (State === 'Pending') {
    return html`<p class="notice" role="status">
      The function is being created. It can be invoked when its state is Active.
    </p>`;
  }
  if (State === 'Failed') {
    return html`<p class="problem" role="alert">
      The function could not be started: ${StateReason} (${StateReasonCode})
    </p>`;
  }
  if (State === 'Inactive') {
    return html`<p class="notice" role="status">${StateReason} (${StateReasonCode})</p>`;
  }
  if (LastUpdateStatus === 'InProgress') {
    return html`<p class="notice" role="status">
      Update in progress: the new configuration is being started. Invocations use the previous one
      until it is ready.
    </p>`;
  }
  if (LastUpdateStatus === 'Failed') {
    return html`<p class="problem" role="alert">
      The last update failed, and the previous configuration still serves invocations:
      ${LastUpdateStatusReason} (${LastUpdateStatusReasonCode})
    </p>`;
  }
  return html``;
}

/** What the program wrote since the change that failed. */
async function failedStartLog(
  { logFolder }: ConsoleContext['ports'],
  { State, LastUpdateStatus, LastModified = '', LoggingConfig }: FunctionConfiguration,
): Promise<Html> {
  if (State !== 'Failed' && LastUpdateStatus !== 'Failed') return html``;
  const { lines } = await readRecentLines(logFolder, LoggingConfig?.LogGroup ?? '', {
    since: Date.parse(LastModified),
    max: initLinesMax,
  });
  if (lines.length === 0) return html``;
  return html`<h2>Log since the change</h2>
    ${logView(lines)}`;
}

function tagsView(tags: Readonly<Record<string, string>>): Html {
  const entries = Object.entries(tags);
  if (entries.length === 0) return html`<p class="soft">No tags.</p>`;
  return factsView(entries);
}
