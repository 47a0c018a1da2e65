import { updateFunctionConfiguration } from '#functions-contract/operations/update-function-configuration.ts';
import { button } from '#web/fields.ts';
import { hidden } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { FunctionsError, invalidParameter } from '../../errors/functions-error.ts';
import { functionPath, functionRoute } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { type FunctionConfiguration, functionHead } from '../parts/function-head.ts';
import { loadConfiguration } from '../parts/load-function.ts';
import { layerChoices } from '../parts/layer-choices.ts';
import { settingsOf } from '../parts/settings.ts';
import {
  changedSince,
  changesBetween,
  type Difference,
  differences,
  type Draft,
  draftIn,
  draftOf,
  readBase,
  rebased,
  writeBase,
} from '../parts/settings-draft.ts';
import { variableFields } from '../parts/variables.ts';

/** The form, then what would change, then the update. */
export const configurationPage: ConsolePage = {
  path: functionRoute('configuration'),
  show: showConfiguration,
  acts: { review: reviewConfiguration, save: saveConfiguration, edit: editAgain },
};

async function showConfiguration(
  context: ConsoleContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const configuration = await loadConfiguration(context);
  const present = draftOf(configuration);
  if (!refused) return settingsForm(context, configuration, present, undefined);
  const given = draftIn(refused.fields, configuration);
  const base = readBase(refused.fields.get('base'));
  const changed = base && changedSince(base, present);
  if (!base || !changed || changed.size === 0) {
    return settingsForm(context, configuration, given, { ...refused, act: 'review' });
  }
  return settingsForm(
    context,
    configuration,
    rebased(given, base, present),
    { ...refused, act: 'review' },
    html`<div class="notice">
      <p>
        Meanwhile the function was changed. This is so now, and the fields below have your changes
        on top of it:
      </p>
      <ul>
        ${[...changed].map((name) => {
          const setting = settingsOf(configuration).find((each) => each.name === name);
          return html`<li>${setting ? `${setting.label}: ${present.values[name]}` : name}</li>`;
        })}
      </ul>
    </div>`,
  );
}

async function settingsForm(
  context: ConsoleContext,
  configuration: FunctionConfiguration,
  draft: Draft,
  refused: RefusedForm | undefined,
  changedMeanwhile: Html = html``,
): Promise<WebResponse> {
  const { user, path } = context;
  const { name = '' } = path;
  const form = createPageForm(functionPath(name, 'configuration'), user.secret, refused);
  const unreadable = configuration.Environment?.Error;
  return formPage(
    `Configuration · ${name}`,
    html`${functionHead(configuration, 'configuration')} ${changedMeanwhile}
    ${form.view(
      'review',
      html`${lockFields(configuration)}
      ${settingsOf(configuration).map((setting) => setting.field(draft.values[setting.name] ?? ''))}
      ${
        unreadable
          ? html`<p class="problem">
              The environment variables cannot be read: ${unreadable.Message}
            </p>`
          : variableFields(draft.variables)
      }
      ${configuration.PackageType === 'Image' ? '' : await layerChoices(context)}
      ${button('Show what would change', 'primary')}`,
    )}`,
    refused?.status,
  );
}

/** The revision that the form was made for, and what was so then. */
function lockFields(configuration: FunctionConfiguration): Html {
  return html`${hidden('revision', configuration.RevisionId ?? '')}
  ${hidden('base', writeBase(draftOf(configuration)))}`;
}

async function reviewConfiguration(context: ConsoleForm): Promise<WebResponse> {
  const { form, path, user } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  checkRevision(form, configuration);
  const present = draftOf(configuration);
  const given = draftIn(form, configuration);
  // Refuses fields that are no number before anything is confirmed.
  changesBetween(configuration, present, given);
  const changes = differences(configuration, present, given);
  if (changes.length === 0) throw invalidParameter('Nothing would change.');
  const pageUrl = functionPath(name, 'configuration');
  return formPage(
    `Configuration · ${name}`,
    html`${functionHead(configuration, 'configuration')}
      <h2>What would change</h2>
      ${differencesView(changes)}
      <p>
        The new configuration is started in an environment of its own. The present one serves
        invocations until then, and stays if the start fails.
      </p>
      ${createPageForm(pageUrl, user.secret, undefined).view(
        'save',
        html`${lockFields(configuration)}
          ${Object.entries(given.values).map(([field, value]) => hidden(field, value))}
          ${Object.entries(given.variables).map(
            ([variable, value]) =>
              html`${hidden('variable_name', variable)}${hidden('variable_value', value)}`,
          )}
          ${hidden('variable_name', '')}
          <div class="actions">
            ${button('Save', 'primary')}
            <button type="submit" formaction="${pageUrl}/edit">Back to the form</button>
          </div>`,
      )}`,
  );
}

async function saveConfiguration(context: ConsoleForm): Promise<string> {
  const { form, path, run } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  checkRevision(form, configuration);
  const given = draftIn(form, configuration);
  await run(updateFunctionConfiguration)({
    FunctionName: name,
    RevisionId: form.get('revision') ?? '',
    ...changesBetween(configuration, draftOf(configuration), given),
  });
  return functionPath(name);
}

async function editAgain(context: ConsoleForm): Promise<WebResponse> {
  const configuration = await loadConfiguration(context);
  checkRevision(context.form, configuration);
  return settingsForm(context, configuration, draftIn(context.form, configuration), undefined);
}

/** Checked before what would change is shown; the operation checks it again as it stores the change. */
function checkRevision(form: URLSearchParams, { RevisionId }: FunctionConfiguration): void {
  if (form.get('revision') === RevisionId) return;
  throw new FunctionsError(
    'PreconditionFailedException',
    'The function was changed after this form was opened, so nothing was saved.',
  );
}

function differencesView(changes: readonly Difference[]): Html {
  return html`<ul class="rows">
    ${changes.map(
      ({ name, before, after }) =>
        html`<li>
          <span class="grow">${name}</span>
          <span
            ><del>${before === '' ? 'empty' : before}</del> →
            <ins>${after === '' ? 'empty' : after}</ins></span
          >
        </li>`,
    )}
  </ul>`;
}
