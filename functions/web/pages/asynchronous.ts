import {
  deleteFunctionEventInvokeConfig,
  getFunctionEventInvokeConfig,
  putFunctionEventInvokeConfig,
} from '#functions-contract/operations/event-invoke-config.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import { eventAgeSecondsMax, eventRetriesMax } from '#functions-contract/limits.ts';
import { button, selectField, textField } from '#web/fields.ts';
import { hidden } from '#web/form.ts';
import { html } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { orAbsent } from '../kit/or-absent.ts';
import { functionPath, functionRoute } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import {
  baseField,
  changedMeanwhile,
  type LockedValue,
  requireUnchanged,
} from '../parts/changed-meanwhile.ts';
import { functionHead } from '../parts/function-head.ts';
import { loadConfiguration, loadQualifiers } from '../parts/load-function.ts';
import {
  chosenQualifier,
  qualifierChoice,
  qualifierMember,
  withQualifier,
} from '../parts/qualifier-choice.ts';
import { readWholeNumber } from '../parts/settings.ts';

export const asynchronousPage: ConsolePage = {
  path: functionRoute('asynchronous'),
  show: showSettings,
  acts: { save: submitSettings, delete: submitDeletion },
};

async function showSettings(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const { path, user, ports } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const qualifier = chosenQualifier(context, refused);
  const config = await load(context, qualifier);
  const locked = lockedSettings(config);
  const meanwhile = changedMeanwhile(refused, locked);
  const qualifiers = (await loadQualifiers(context)).filter((each) => each !== '$LATEST');
  const pageUrl = functionPath(name, 'asynchronous');
  const form = createPageForm(pageUrl, user.secret, meanwhile.refused);
  await ports.configured.refresh?.();
  const targets = [...ports.configured.targets.keys()];
  const present = new Map(locked.map(({ name: field, value }) => [field, value]));
  const value = (field: string): string => form.value(field, present.get(field));
  return formPage(
    `Asynchronous invocation · ${name}`,
    html`${functionHead(configuration, 'asynchronous')}
      ${qualifierChoice(pageUrl, qualifiers, qualifier)}
      <h2>Asynchronous invocation of ${qualifier === '' ? name : `${name}:${qualifier}`}</h2>
      ${
        config
          ? ''
          : html`<p class="soft">
              Nothing is set: ${eventRetriesMax} retries within ${eventAgeSecondsMax} seconds, no
              destinations.
            </p>`
      }
      ${meanwhile.notice}
      ${form.view(
        'save',
        html`${hidden('qualifier', qualifier)} ${baseField(locked)}
        ${selectField({
          label: 'Retry attempts',
          name: 'retries',
          value: value('retries'),
          options: Array.from({ length: eventRetriesMax + 1 }, (_none, count) => String(count)),
        })}
        ${textField({
          label: 'Maximum age of event (seconds)',
          name: 'age',
          value: value('age'),
          type: 'number',
          hint: `60 to ${eventAgeSecondsMax}.`,
        })}
        ${textField({
          label: 'On success destination',
          name: 'success',
          value: value('success'),
          hint: 'ARN of a queue, topic, event bus or function that gets the result. Empty for none.',
        })}
        ${textField({
          label: 'On failure destination',
          name: 'failure',
          value: value('failure'),
          hint: 'ARN of what gets events that failed or expired. Empty for none.',
        })}
        ${button('Save', 'primary')}`,
      )}
      ${
        config
          ? form.view(
              'delete',
              html`${hidden('qualifier', qualifier)} ${button('Reset to the defaults')}`,
              'line',
            )
          : ''
      }
      <h2>Configured destinations</h2>
      ${
        targets.length === 0
          ? html`<p class="soft">
              This server declares no queue, topic or event bus; functions are destinations without
              a declaration.
            </p>`
          : html`<ul class="rows">
              ${targets.map((arn) => html`<li><code>${arn}</code></li>`)}
            </ul>`
      }`,
    refused?.status,
  );
}

type Config = StructureOf<(typeof getFunctionEventInvokeConfig)['output']>;

async function load({ run, path }: ConsoleContext, qualifier: string): Promise<Config | undefined> {
  const FunctionName = path['name'] ?? '';
  const named = { FunctionName, ...qualifierMember(qualifier) };
  return orAbsent(run(getFunctionEventInvokeConfig)(named));
}

/** The fields of the form as they are now. */
function lockedSettings(config: Config | undefined): readonly LockedValue[] {
  const { OnSuccess, OnFailure } = config?.DestinationConfig ?? {};
  const { MaximumRetryAttempts = eventRetriesMax, MaximumEventAgeInSeconds = eventAgeSecondsMax } =
    config ?? {};
  return [
    { name: 'retries', label: 'Retry attempts', value: String(MaximumRetryAttempts) },
    { name: 'age', label: 'Maximum age of event', value: String(MaximumEventAgeInSeconds) },
    { name: 'success', label: 'On success destination', value: OnSuccess?.Destination ?? '' },
    { name: 'failure', label: 'On failure destination', value: OnFailure?.Destination ?? '' },
  ];
}

async function submitSettings(context: ConsoleForm): Promise<string> {
  const { run, path, form } = context;
  const { name = '' } = path;
  const qualifier = form.get('qualifier') ?? '';
  requireUnchanged(form, lockedSettings(await load(context, qualifier)));
  await run(putFunctionEventInvokeConfig)({
    FunctionName: name,
    ...qualifierMember(qualifier),
    MaximumRetryAttempts: readWholeNumber(form.get('retries') ?? '', 'Retry attempts'),
    MaximumEventAgeInSeconds: readWholeNumber(form.get('age') ?? '', 'Maximum age of event'),
    DestinationConfig: {
      OnSuccess: destination(form.get('success')),
      OnFailure: destination(form.get('failure')),
    },
  });
  return withQualifier(functionPath(name, 'asynchronous'), qualifier);
}

function destination(text: string | null): { readonly Destination?: string } {
  const arn = (text ?? '').trim();
  return arn === '' ? {} : { Destination: arn };
}

async function submitDeletion({ run, path, form }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  const qualifier = form.get('qualifier') ?? '';
  await run(deleteFunctionEventInvokeConfig)({ FunctionName: name, ...qualifierMember(qualifier) });
  return withQualifier(functionPath(name, 'asynchronous'), qualifier);
}
