import {
  createEventSourceMapping,
  listEventSourceMappings,
} from '#functions-contract/operations/event-source-mappings.ts';
import { button, textField } from '#web/fields.ts';
import { hidden } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import {
  functionPath,
  functionRoute,
  functionsPath,
  mappingPath,
  mappingsPath,
} from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { functionHead } from '../parts/function-head.ts';
import { loadConfiguration, loadQualifiers } from '../parts/load-function.ts';
import { type Mapping, mappingFields, mappingInput } from '../parts/mapping-fields.ts';
import { chosenQualifier, qualifierChoice } from '../parts/qualifier-choice.ts';

/** Of all functions. */
export const eventSourceMappingsPage: ConsolePage = {
  path: mappingsPath,
  show: showMappings,
  acts: { create: submitNewMapping },
};

/** Of one function, version or alias. */
export const eventSourcesPage: ConsolePage = {
  path: functionRoute('event-sources'),
  show: showEventSources,
  acts: { create: submitNewMapping },
};

/** Event source mappings on a page. */
const pageSize = 50;

async function showMappings(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const form = createPageForm(mappingsPath, context.user.secret, refused);
  const functionField = textField({
    label: 'Function',
    name: 'function',
    value: form.value('function'),
    required: true,
    hint: 'A name; with a version or an alias as name:qualifier.',
  });
  return formPage(
    'Event source mappings',
    html`<h1><a class="crumb" href="${functionsPath}">Functions</a> / Event source mappings</h1>
      <p>
        An event source mapping receives messages from a queue and invokes a function with them.
      </p>
      ${await listView(context, mappingsPath)}
      ${await creation(context, { form, refused }, functionField)}`,
    refused?.status,
  );
}

async function showEventSources(
  context: ConsoleContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { path, user } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const qualifier = chosenQualifier(context, refused);
  const qualifiers = (await loadQualifiers(context)).filter((each) => each !== '$LATEST');
  const pageUrl = functionPath(name, 'event-sources');
  const form = createPageForm(pageUrl, user.secret, refused);
  const about = qualifier === '' ? name : `${name}:${qualifier}`;
  const chosen = html`${hidden('function', about)} ${hidden('qualifier', qualifier)}`;
  return formPage(
    `Event sources · ${name}`,
    html`${functionHead(configuration, 'event-sources')}
      ${qualifierChoice(pageUrl, qualifiers, qualifier)}
      <h2>Event sources of ${about}</h2>
      ${await listView(context, pageUrl, about)}
      ${await creation(context, { form, refused }, chosen)}
      <p>
        <a href="${mappingsPath}">Event source mappings of all functions</a>
      </p>`,
    refused?.status,
  );
}

async function listView(
  { run, query }: ConsoleContext,
  pageUrl: string,
  about?: string,
): Promise<Html> {
  const marker = query.get('marker');
  const { EventSourceMappings = [], NextMarker } = await run(listEventSourceMappings)({
    MaxItems: pageSize,
    ...(about === undefined ? {} : { FunctionName: about }),
    ...(marker === null ? {} : { Marker: marker }),
  });
  if (EventSourceMappings.length === 0) {
    return html`<p class="empty">No queue invokes it. Create an event source mapping below.</p>`;
  }
  const qualifier = query.get('qualifier');
  const next = new URLSearchParams({
    ...(qualifier === null ? {} : { qualifier }),
    marker: NextMarker ?? '',
  });
  return html`<ul class="rows">
      ${EventSourceMappings.map(mappingRow)}
    </ul>
    ${
      NextMarker === undefined
        ? ''
        : html`<nav class="pages" aria-label="Pages of the list">
            <a href="${pageUrl}?${next.toString()}">Next mappings</a>
          </nav>`
    }`;
}

function mappingRow(mapping: Mapping): Html {
  const { UUID = '', EventSourceArn = '', FunctionArn = '', LastProcessingResult } = mapping;
  return html`<li>
    <a class="grow" href="${mappingPath(UUID)}">${EventSourceArn}</a>
    <span>${FunctionArn.split(':').slice(6).join(':')}</span>
    <span class="soft">${LastProcessingResult}</span> ${mappingState(mapping)}
  </li>`;
}

export function mappingState({ State = '' }: Mapping): Html {
  return State === 'Enabled'
    ? html`<span class="state good">✓ Enabled</span>`
    : html`<span class="state soft">◌ ${State}</span>`;
}

async function creation(
  { ports }: ConsoleContext,
  { form, refused }: { readonly form: PageForm; readonly refused: RefusedForm | undefined },
  chosen: Html,
): Promise<Html> {
  await ports.configured.refresh?.();
  const queues = [...ports.configured.targets]
    .filter(([arn, { kind }]) => arn.split(':')[2] === 'sqs' && kind === 'endpoint')
    .map(([arn]) => arn);
  return html`<h2>Create event source mapping</h2>
    ${form.view(
      'create',
      html`${textField({
        label: 'Queue',
        name: 'queue',
        value: form.value('queue', queues[0]),
        required: true,
        hint: 'The ARN of a queue of SQS that this server declares with an endpoint.',
      })}
      ${chosen} ${mappingFields(form, refused)} ${button('Create event source mapping', 'primary')}`,
    )}
    <h3>Configured queues</h3>
    ${
      queues.length === 0
        ? html`<p class="soft">
            This server declares no queue that can be received from. A site administrator adds one.
          </p>`
        : html`<ul class="rows">
            ${queues.map((arn) => html`<li><code>${arn}</code></li>`)}
          </ul>`
    }`;
}

async function submitNewMapping({ run, form }: ConsoleForm): Promise<string> {
  const { UUID = '' } = await run(createEventSourceMapping)({
    EventSourceArn: (form.get('queue') ?? '').trim(),
    FunctionName: (form.get('function') ?? '').trim(),
    ...mappingInput(form),
  });
  return mappingPath(UUID);
}
