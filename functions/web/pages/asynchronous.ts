import {
  deleteFunctionEventInvokeConfig,
  listFunctionEventInvokeConfigs,
  putFunctionEventInvokeConfig,
} from '#functions-contract/operations/event-invoke-config.ts';
import { eventAgeSecondsMax, eventRetriesMax } from '#functions-contract/limits.ts';
import { button, selectField, textField } from '#web/fields.ts';
import { hidden } from '#web/form.ts';
import { html } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { functionAddress, functionPath } from '../kit/addresses.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { functionHead } from '../parts/function-head.ts';
import { loadConfiguration, loadQualifiers } from '../parts/load-function.ts';
import {
  chosenQualifier,
  qualifierChoice,
  qualifierMember,
  qualifierOfArn,
  withQualifier,
} from '../parts/qualifier-choice.ts';
import { wholeNumber } from '../parts/settings.ts';

export const asynchronousPage: ConsolePage = {
  path: functionPath('asynchronous'),
  show: showSettings,
  acts: { save: takeSettings, delete: takeDeletion },
};

async function showSettings(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const { run, path, user, ports } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const { FunctionEventInvokeConfigs = [] } = await run(listFunctionEventInvokeConfigs)({
    FunctionName: name,
  });
  const qualifier = chosenQualifier(context, refused);
  const config = FunctionEventInvokeConfigs.find(
    ({ FunctionArn = '' }) => qualifierOfArn(FunctionArn) === qualifier,
  );
  const qualifiers = (await loadQualifiers(context)).filter((each) => each !== '$LATEST');
  const address = functionAddress(name, 'asynchronous');
  const form = createPageForm(address, user.secret, refused);
  await ports.configured.refresh?.();
  const targets = [...ports.configured.targets.keys()];
  const { OnSuccess, OnFailure } = config?.DestinationConfig ?? {};
  return formPage(
    `Asynchronous invocation · ${name}`,
    html`${functionHead(configuration, 'asynchronous')}
      ${qualifierChoice(address, qualifiers, qualifier)}
      <h2>Asynchronous invocation of ${qualifier === '' ? name : `${name}:${qualifier}`}</h2>
      ${
        config
          ? ''
          : html`<p class="soft">
              Nothing is set: ${eventRetriesMax} retries within ${eventAgeSecondsMax} seconds, no
              destinations.
            </p>`
      }
      ${form.view(
        'save',
        html`${hidden('qualifier', qualifier)}
        ${selectField({
          label: 'Retry attempts',
          name: 'retries',
          value: form.value('retries', String(config?.MaximumRetryAttempts ?? eventRetriesMax)),
          options: Array.from({ length: eventRetriesMax + 1 }, (_none, count) => String(count)),
        })}
        ${textField({
          label: 'Maximum age of event (seconds)',
          name: 'age',
          value: form.value('age', String(config?.MaximumEventAgeInSeconds ?? eventAgeSecondsMax)),
          type: 'number',
          hint: `60 to ${eventAgeSecondsMax}.`,
        })}
        ${textField({
          label: 'On success destination',
          name: 'success',
          value: form.value('success', OnSuccess?.Destination),
          hint: 'ARN of a queue, topic, event bus or function that gets the result. Empty for none.',
        })}
        ${textField({
          label: 'On failure destination',
          name: 'failure',
          value: form.value('failure', OnFailure?.Destination),
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
      <h2>Declared destinations</h2>
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

async function takeSettings({ run, path, form }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  const qualifier = form.get('qualifier') ?? '';
  await run(putFunctionEventInvokeConfig)({
    FunctionName: name,
    ...qualifierMember(qualifier),
    MaximumRetryAttempts: wholeNumber(form.get('retries') ?? '', 'Retry attempts'),
    MaximumEventAgeInSeconds: wholeNumber(form.get('age') ?? '', 'Maximum age of event'),
    DestinationConfig: {
      OnSuccess: destination(form.get('success')),
      OnFailure: destination(form.get('failure')),
    },
  });
  return withQualifier(functionAddress(name, 'asynchronous'), qualifier);
}

function destination(text: string | null): { readonly Destination?: string } {
  const arn = (text ?? '').trim();
  return arn === '' ? {} : { Destination: arn };
}

async function takeDeletion({ run, path, form }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  const qualifier = form.get('qualifier') ?? '';
  await run(deleteFunctionEventInvokeConfig)({ FunctionName: name, ...qualifierMember(qualifier) });
  return withQualifier(functionAddress(name, 'asynchronous'), qualifier);
}
