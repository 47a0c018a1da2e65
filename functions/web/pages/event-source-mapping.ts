import {
  deleteEventSourceMapping,
  getEventSourceMapping,
  updateEventSourceMapping,
} from '#functions-contract/operations/event-source-mappings.ts';
import { button, textField } from '#web/fields.ts';
import { html, timeElement } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import {
  functionPath,
  functionsPath,
  mappingPath,
  mappingRoute,
  mappingsPath,
} from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { baseField, changedMeanwhile, requireUnchanged } from '../parts/changed-meanwhile.ts';
import { askFirst } from '../parts/confirm.ts';
import { factsView } from '../parts/facts.ts';
import {
  lockedSettings,
  type Mapping,
  mappingFields,
  mappingInput,
} from '../parts/mapping-fields.ts';
import { mappingState } from './event-source-mappings.ts';

export const eventSourceMappingPage: ConsolePage = {
  path: mappingRoute,
  show: showMapping,
  acts: {
    update: submitUpdate,
    enable: (form) => submitState(form, true),
    disable: (form) => submitState(form, false),
    delete: submitDeletion,
  },
};

async function load({ run, path }: ConsoleContext): Promise<Mapping> {
  return run(getEventSourceMapping)({ UUID: path['uuid'] ?? '' });
}

async function showMapping(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const { path, user, now } = context;
  const { uuid = '' } = path;
  const mapping = await load(context);
  const locked = lockedSettings(mapping);
  const meanwhile = changedMeanwhile(refused, locked);
  const form = createPageForm(mappingPath(uuid), user.secret, meanwhile.refused);
  const { EventSourceArn, FunctionArn = '', LastModified = 0, LastProcessingResult } = mapping;
  const name = FunctionArn.split(':')[6] ?? '';
  return formPage(
    `Event source mapping of ${name}`,
    html`<h1>
        <a class="crumb" href="${functionsPath}">Functions</a> /
        <a class="crumb" href="${functionPath(name, 'event-sources')}">${name}</a> / Event source
        mapping ${mappingState(mapping)}
      </h1>
      ${factsView([
        ['Queue', EventSourceArn],
        ['Invokes', FunctionArn],
        ['Last batch', LastProcessingResult ?? 'none yet'],
        ['Last modified', timeElement(LastModified * 1000, now)],
        ['UUID', uuid],
      ])}
      ${
        mapping.State === 'Enabled'
          ? form.view('disable', button('Disable'), 'line')
          : form.view('enable', button('Enable', 'primary'), 'line')
      }
      <h2>Settings</h2>
      ${meanwhile.notice}
      ${form.view(
        'update',
        html`${baseField(locked)}
        ${textField({
          label: 'Function',
          name: 'function',
          value: form.value('function', FunctionArn),
          required: true,
          hint: 'A name or an ARN; with a version or an alias as name:qualifier.',
        })}
        ${mappingFields(form, refused, mapping)} ${button('Save', 'primary')}`,
      )}
      ${form.view('delete', button('Delete event source mapping', 'danger'), 'line')}`,
    refused?.status,
  );
}

async function submitUpdate(context: ConsoleForm): Promise<string> {
  const { run, path, form } = context;
  const { uuid = '' } = path;
  requireUnchanged(form, lockedSettings(await load(context)));
  await run(updateEventSourceMapping)({
    UUID: uuid,
    FunctionName: (form.get('function') ?? '').trim(),
    ...mappingInput(form),
  });
  return mappingPath(uuid);
}

async function submitState({ run, path }: ConsoleForm, Enabled: boolean): Promise<string> {
  const { uuid = '' } = path;
  await run(updateEventSourceMapping)({ UUID: uuid, Enabled });
  return mappingPath(uuid);
}

async function submitDeletion(context: ConsoleForm): Promise<string | WebResponse> {
  const { run, path } = context;
  const { uuid = '' } = path;
  const asked = askFirst(context, {
    question: 'Delete this event source mapping?',
    label: 'Delete event source mapping',
    target: `${mappingPath(uuid)}/delete`,
    back: mappingPath(uuid),
  });
  if (asked) return asked;
  await run(deleteEventSourceMapping)({ UUID: uuid });
  return mappingsPath;
}
