import { invoke } from '#functions-contract/operations/functions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import { indentedJson } from '#platform/indented-json.ts';
import { button, selectField, textArea, textField } from '#web/fields.ts';
import { hidden } from '#web/form.ts';
import { bytesText, html, type Html } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, looksLikeText, type WebResponse } from '#web/web-response.ts';

import { deleteTestEvent, readTestEvents, saveTestEvent } from '../../test-events/test-events.ts';
import { functionPath, functionRoute } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { askFirst } from '../parts/confirm.ts';
import { eventTemplates, templateFor } from '../parts/event-templates.ts';
import { factsView } from '../parts/facts.ts';
import { functionHead } from '../parts/function-head.ts';
import { readReport } from '../parts/invocation-report.ts';
import { loadConfiguration, loadQualifiers } from '../parts/load-function.ts';
import { digestOf, withLineFeeds } from '../parts/variables.ts';

export const testPage: ConsolePage = {
  path: functionRoute('test'),
  show: (context, refused) => showTest(context, { refused }),
  acts: { invoke: submitInvocation, save: submitEvent, delete: submitDeletion },
};

/** Response of a test that its page shows; a longer one is cut off. */
const shownBytesMax = 64 * 1024;

const invocationTypes = [
  { value: 'RequestResponse', label: 'Synchronous: wait for the response' },
  { value: 'Event', label: 'Asynchronous: enqueue the event' },
  { value: 'DryRun', label: 'Dry run: validate only' },
] as const;

type Invoked = StructureOf<(typeof invoke)['output']>;

interface Shown {
  readonly refused?: RefusedForm | undefined;
  readonly invoked?: Invoked;
  readonly fields?: URLSearchParams;
}

async function showTest(
  context: ConsoleContext,
  { refused, invoked, fields = refused?.fields }: Shown,
): Promise<WebResponse> {
  const { path, query, user, ports } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const pageUrl = functionPath(name, 'test');
  const given = (field: string, otherwise: string): string => fields?.get(field) ?? otherwise;
  const qualifier = given('qualifier', query.get('qualifier') ?? '$LATEST');
  // A version of a link may be too old to be offered: a browser would send $LATEST instead.
  const qualifiers = [...new Set([...(await loadQualifiers(context)), qualifier])];
  const saved = await readTestEvents(ports, name, fields?.get('event_name') ?? query.get('saved'));
  const template = JSON.stringify(templateFor(query.get('template')), null, 2);
  const pageForm = createPageForm(pageUrl, user.secret, refused && { ...refused, act: 'invoke' });
  const form = pageForm.view(
    'invoke',
    html`${hidden('base', saved.chosen ? digestOf(saved.chosen.event) : '')}
      ${textArea({
        label: 'Event (JSON)',
        name: 'event',
        value: given('event', saved.chosen?.event ?? template),
        rows: 10,
      })}
      ${selectField({
        label: 'Version or alias',
        name: 'qualifier',
        value: qualifier,
        options: qualifiers,
      })}
      ${selectField({
        label: 'Invocation type',
        name: 'type',
        value: given('type', 'RequestResponse'),
        options: invocationTypes,
      })}
      ${
        configuration.TenancyConfig
          ? textField({ label: 'Tenant', name: 'tenant', value: given('tenant', '') })
          : ''
      }
      ${textField({
        label: 'Event name',
        name: 'event_name',
        value: given('event_name', saved.chosen?.name ?? ''),
        hint: 'To save the event. All users of the console share saved events.',
      })}
      <div class="actions">
        ${button('Test', 'primary')}
        <button type="submit" formaction="${pageUrl}/save">Save event</button>
      </div>`,
  );
  return formPage(
    `Test · ${name}`,
    html`${functionHead(configuration, 'test')} ${invoked ? resultView(invoked) : ''}
      <h2>Test event</h2>
      <p>
        Templates:
        ${Object.keys(eventTemplates).map(
          (title) => html`<a href="${pageUrl}?template=${encodeURIComponent(title)}">${title}</a> `,
        )}
      </p>
      ${savedView(pageUrl, saved, pageForm)} ${form}`,
    refused?.status,
  );
}

function savedView(
  pageUrl: string,
  { names, chosen }: Awaited<ReturnType<typeof readTestEvents>>,
  form: PageForm,
): Html {
  if (names.length === 0) {
    return html`<p class="soft">No event is saved. Give one a name below to save it.</p>`;
  }
  return html`<nav class="pages" aria-label="Saved events">
      Saved events:
      ${names.map(
        (each) =>
          html`<a
            href="${pageUrl}?saved=${encodeURIComponent(each)}"
            ${each === chosen?.name ? html`aria-current="true"` : ''}
            >${each}</a
          > `,
      )}
    </nav>
    ${
      chosen
        ? form.row(
            'delete',
            html`${hidden('event_name', chosen.name)}
            ${button('Delete event', 'danger', chosen.name)}`,
          )
        : ''
    }`;
}

async function submitEvent({ ports, path, form }: ConsoleForm): Promise<string> {
  const { name: functionName = '' } = path;
  const name = (form.get('event_name') ?? '').trim();
  const event = withLineFeeds(form.get('event') ?? '');
  const base = form.get('base');
  await saveTestEvent(
    ports,
    functionName,
    { name, event },
    (present) => digestOf(present.event) === base,
  );
  return `${functionPath(functionName, 'test')}?saved=${encodeURIComponent(name)}`;
}

async function submitDeletion(context: ConsoleForm): Promise<string | WebResponse> {
  const { ports, path, form } = context;
  const { name: functionName = '' } = path;
  const name = form.get('event_name') ?? '';
  const pageUrl = functionPath(functionName, 'test');
  const asked = askFirst(context, {
    question: `Delete the test event ${name} of ${functionName}?`,
    label: 'Delete event',
    target: `${pageUrl}/delete`,
    back: pageUrl,
  });
  if (asked) return asked;
  await deleteTestEvent(ports, functionName, name);
  return pageUrl;
}

async function submitInvocation(context: ConsoleForm): Promise<WebResponse> {
  const { run, path, form } = context;
  const tenant = form.get('tenant') ?? '';
  const invoked = await run(invoke)({
    FunctionName: path['name'] ?? '',
    Qualifier: form.get('qualifier') ?? '$LATEST',
    InvocationType: typeOf(form.get('type')),
    LogType: 'Tail',
    Payload: Buffer.from(form.get('event') ?? ''),
    ...(tenant === '' ? {} : { TenantId: tenant }),
  });
  return showTest(context, { invoked, fields: form });
}

function typeOf(text: string | null): (typeof invocationTypes)[number]['value'] {
  return invocationTypes.find(({ value }) => value === text)?.value ?? 'RequestResponse';
}

function resultView({
  StatusCode,
  FunctionError,
  Payload = new Uint8Array(),
  LogResult = '',
  ExecutedVersion,
  DurableExecutionArn,
}: Invoked): Html {
  if (StatusCode === 204) {
    return html`<p class="notice" role="status">The invocation would be accepted.</p>`;
  }
  if (StatusCode === 202) {
    return html`<p class="notice" role="status">
      The event is enqueued. The log shows its invocation. ${DurableExecutionArn}
    </p>`;
  }
  const log = Buffer.from(LogResult, 'base64').toString();
  const report = log.split('\n').map(readReport).findLast(Boolean);
  const failed = FunctionError !== undefined;
  return html`<section class="card" aria-label="Result">
    <header>
      <h2>Result</h2>
      <span class="state ${failed ? 'bad' : 'good'}"
        >${failed ? `✗ Failed (${FunctionError})` : '✓ Succeeded'}</span
      >
    </header>
    <div class="body">
      ${factsView([
        ['Duration', report && `${report.milliseconds} ms`],
        ['Billed duration', report && `${report.billedMilliseconds} ms`],
        ['Init duration (cold start)', report?.initMilliseconds && `${report.initMilliseconds} ms`],
        ['Memory used', report && `${report.peakMemoryMiB} of ${report.memoryMiB} MB`],
        ['Executed version', ExecutedVersion],
        ['Durable execution', DurableExecutionArn],
        ['Request id', report?.requestId],
      ])}
      <h3>Response</h3>
      ${payloadView(Buffer.from(Payload))}
      <h3>Log</h3>
      ${
        log === ''
          ? html`<p class="soft">Nothing was logged.</p>`
          : html`<pre tabindex="0"><code>${log}</code></pre>`
      }
    </div>
  </section>`;
}

function payloadView(payload: Buffer): Html {
  if (payload.length === 0) return html`<p class="soft">The response is empty.</p>`;
  if (!looksLikeText(payload)) {
    return html`<p class="soft">The response is binary: ${bytesText(payload.length)}.</p>`;
  }
  const cut = payload.length > shownBytesMax;
  return html`<pre
      tabindex="0"
    ><code>${cut ? payload.toString('utf8', 0, shownBytesMax) : indented(payload.toString())}</code></pre>
    ${cut ? html`<p class="soft">The response has ${bytesText(payload.length)}; the rest is not shown.</p>` : ''}`;
}

function indented(text: string): string {
  try {
    return indentedJson(JSON.parse(text));
  } catch {
    return text;
  }
}
