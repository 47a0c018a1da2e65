import type { functionConfiguration } from '#functions-contract/shapes/function-configuration.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import { html, type Html } from '#web/html.ts';

import { functionPath, functionsPath } from '../kit/paths.ts';

export type FunctionConfiguration = StructureOf<typeof functionConfiguration>;

/** The pages of a function: their URLs, and their names in the console of AWS Lambda. */
const tabs = {
  '': 'Overview',
  code: 'Code',
  test: 'Test',
  monitor: 'Monitor',
  logs: 'Logs',
  configuration: 'Configuration',
  versions: 'Versions',
  aliases: 'Aliases',
  url: 'Function URL',
  permissions: 'Permissions',
  concurrency: 'Concurrency',
  asynchronous: 'Asynchronous invocation',
  'event-sources': 'Event sources',
  executions: 'Durable executions',
  tags: 'Tags',
} as const;

export type Tab = keyof typeof tabs;

/** The name and the state of a function, and the way to its pages. */
export function functionHead(
  { FunctionName = '', FunctionArn, ...state }: FunctionConfiguration,
  present: Tab,
): Html {
  return html`<h1>
      <a class="crumb" href="${functionsPath}">Functions</a> / ${FunctionName} ${stateMark(state)}
    </h1>
    <p class="soft"><code>${FunctionArn}</code></p>
    <nav class="tabs" aria-label="Function">
      ${Object.entries(tabs).map(
        ([page, label]) =>
          html`<a
            href="${functionPath(FunctionName, page)}"
            ${page === present ? html`aria-current="page"` : ''}
            >${label}</a
          > `,
      )}
    </nav>`;
}

/** The state in one word with its colour: of the last update, where that is not over or has failed. */
export function stateMark({
  State = 'Active',
  LastUpdateStatus,
}: Pick<FunctionConfiguration, 'State' | 'LastUpdateStatus'>): Html {
  if (State === 'Active' && LastUpdateStatus === 'InProgress') {
    return html`<span class="state waiting">◌ Update in progress</span>`;
  }
  if (State === 'Active' && LastUpdateStatus === 'Failed') {
    return html`<span class="state bad">✗ Last update failed</span>`;
  }
  const [kind, sign] = marks[State] ?? ['soft', ''];
  return html`<span class="state ${kind}">${sign} ${State}</span>`;
}

const marks: Readonly<Record<string, readonly [kind: string, sign: string]>> = {
  Active: ['good', '✓'],
  Pending: ['waiting', '◌'],
  Inactive: ['soft', '–'],
  Failed: ['bad', '✗'],
};

/** Whether something is still under way that the page can be watched for. */
export function isChanging({ State, LastUpdateStatus }: FunctionConfiguration): boolean {
  return State === 'Pending' || LastUpdateStatus === 'InProgress';
}
