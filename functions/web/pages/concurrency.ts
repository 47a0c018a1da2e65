import {
  deleteFunctionConcurrency,
  deleteProvisionedConcurrencyConfig,
  getAccountSettings,
  getFunctionConcurrency,
  listProvisionedConcurrencyConfigs,
  putFunctionConcurrency,
  putProvisionedConcurrencyConfig,
} from '#functions-contract/operations/concurrency.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import { button, selectField, textField } from '#web/fields.ts';
import { hidden, problemView } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import type { WebResponse } from '#web/web-response.ts';

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
import { qualifierOfArn } from '../parts/qualifier-choice.ts';
import { renewedEvery } from '../parts/renewed.ts';
import { readWholeNumber } from '../parts/settings.ts';

export const concurrencyPage: ConsolePage = {
  path: functionRoute('concurrency'),
  show: showConcurrency,
  acts: {
    reserve: submitReservation,
    unreserve: submitUnreservation,
    provision: submitProvisioning,
    delete: submitDeletion,
  },
};

/** Time after which a page is loaded again while environments are started, where no script renews it. */
const refreshSeconds = 2;

type Provisioned = NonNullable<
  StructureOf<(typeof listProvisionedConcurrencyConfigs)['output']>['ProvisionedConcurrencyConfigs']
>[number];

async function showConcurrency(
  context: ConsoleContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { run, path, user } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const reserved = await loadReserved(context);
  const meanwhile = changedMeanwhile(refused, reserved);
  const { AccountLimit } = await run(getAccountSettings)({});
  const { ProvisionedConcurrencyConfigs: provisioned = [] } = await run(
    listProvisionedConcurrencyConfigs,
  )({ FunctionName: name });
  const form = createPageForm(functionPath(name, 'concurrency'), user.secret, meanwhile.refused);
  const isStarting = provisioned.some(({ Status }) => Status === 'IN_PROGRESS');
  return {
    kind: 'page',
    title: `Concurrency · ${name}`,
    forms: [],
    status: refused?.status ?? 200,
    ...(isStarting ? renewedEvery(refreshSeconds) : {}),
    body: html`${functionHead(configuration, 'concurrency')}
      <h2>Reserved concurrency</h2>
      <p>
        Guaranteed to this function, and the most of its invocations that run at once; 0 throttles
        all. Of ${AccountLimit?.ConcurrentExecutions} of the account,
        ${AccountLimit?.UnreservedConcurrentExecutions} are not reserved.
      </p>
      ${meanwhile.notice}
      ${form.view(
        'reserve',
        html`${baseField(reserved)}
        ${textField({
          label: 'Reserved concurrency',
          name: 'reserved',
          value: form.value('reserved', reserved[0]?.value),
          type: 'number',
          required: true,
        })}
        ${button('Save', 'primary')}`,
      )}
      ${
        reserved[0]?.value === ''
          ? html`<p class="soft">None is reserved: the function uses what no function has.</p>`
          : form.view('unreserve', button('Use unreserved concurrency'), 'line')
      }
      <h2>Provisioned concurrency</h2>
      ${
        isStarting
          ? html`<div data-live>${provisionedView(provisioned, form)}</div>`
          : provisionedView(provisioned, form)
      }
      ${problemView(refused?.act === 'delete' ? refused.problem : undefined)}
      ${await provisioningForm(context, form)}`,
  };
}

function provisionedView(provisioned: readonly Provisioned[], form: PageForm): Html {
  if (provisioned.length === 0) {
    return html`<p class="empty">
      No environment is started ahead. Provisioned concurrency keeps environments of a version or
      alias ready, so that its invocations do not wait for a start.
    </p>`;
  }
  return html`<ul class="rows">
    ${provisioned.map((config) => {
      const qualifier = qualifierOfArn(config.FunctionArn ?? '');
      return html`<li>
        <strong>${qualifier}</strong> ${statusMark(config)}
        <span class="grow soft"
          >${config.AvailableProvisionedConcurrentExecutions} of
          ${config.RequestedProvisionedConcurrentExecutions} ready. ${config.StatusReason}</span
        >
        ${form.row(
          'delete',
          html`${hidden('qualifier', qualifier)}
          ${button('Delete', 'danger', `provisioned concurrency of ${qualifier}`)}`,
        )}
      </li>`;
    })}
  </ul>`;
}

function statusMark({ Status = 'IN_PROGRESS' }: Provisioned): Html {
  const [kind, text] = marks[Status];
  return html`<span class="state ${kind}">${text}</span>`;
}

const marks = {
  READY: ['good', '✓ Ready'],
  FAILED: ['bad', '✗ Failed'],
  IN_PROGRESS: ['waiting', '◌ In progress'],
} as const;

async function provisioningForm(context: ConsoleContext, form: PageForm): Promise<Html> {
  const qualifiers = (await loadQualifiers(context)).filter((each) => each !== '$LATEST');
  if (qualifiers.length === 0) {
    const versions = functionPath(context.path['name'] ?? '', 'versions');
    return html`<p><a href="${versions}">Publish a version</a> first.</p>`;
  }
  return form.view(
    'provision',
    html`${selectField({
      label: 'Version or alias',
      name: 'qualifier',
      value: form.value('qualifier'),
      options: qualifiers,
    })}
    ${textField({
      label: 'Provisioned concurrency',
      name: 'provisioned',
      value: form.value('provisioned'),
      type: 'number',
      required: true,
    })}
    ${button('Save', 'primary')}`,
  );
}

/** The field of the form as it is now. */
async function loadReserved({ run, path }: ConsoleContext): Promise<readonly LockedValue[]> {
  const { ReservedConcurrentExecutions } = await run(getFunctionConcurrency)({
    FunctionName: path['name'] ?? '',
  });
  const value = String(ReservedConcurrentExecutions ?? '');
  const shown = value === '' ? 'none' : value;
  return [{ name: 'reserved', label: 'Reserved concurrency', value, shown }];
}

async function submitReservation(context: ConsoleForm): Promise<string> {
  const { run, path, form } = context;
  const { name = '' } = path;
  requireUnchanged(form, await loadReserved(context));
  await run(putFunctionConcurrency)({
    FunctionName: name,
    ReservedConcurrentExecutions: readWholeNumber(
      form.get('reserved') ?? '',
      'Reserved concurrency',
    ),
  });
  return functionPath(name, 'concurrency');
}

async function submitUnreservation({ run, path }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  await run(deleteFunctionConcurrency)({ FunctionName: name });
  return functionPath(name, 'concurrency');
}

async function submitProvisioning({ run, path, form }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  await run(putProvisionedConcurrencyConfig)({
    FunctionName: name,
    Qualifier: form.get('qualifier') ?? '',
    ProvisionedConcurrentExecutions: readWholeNumber(
      form.get('provisioned') ?? '',
      'Provisioned concurrency',
    ),
  });
  return functionPath(name, 'concurrency');
}

async function submitDeletion({ run, path, form }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  const Qualifier = form.get('qualifier') ?? '';
  await run(deleteProvisionedConcurrencyConfig)({ FunctionName: name, Qualifier });
  return functionPath(name, 'concurrency');
}
