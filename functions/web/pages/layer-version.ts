import {
  addLayerVersionPermission,
  deleteLayerVersion,
  getLayerVersion,
  getLayerVersionPolicy,
  removeLayerVersionPermission,
} from '#functions-contract/operations/layers.ts';
import { button, textField } from '#web/fields.ts';
import { bytesText, html, type Html, timeElement } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { layerPath, layerRoute, layersPath } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { askFirst } from '../parts/confirm.ts';
import { factsView } from '../parts/facts.ts';
import { changedMeanwhile, lockFields } from '../parts/changed-meanwhile.ts';
import { loadPolicy, lockedStatements, statementsView } from '../parts/policy.ts';

export const layerVersionPage: ConsolePage = {
  path: `${layerRoute}/:version(^[1-9]\\d{0,14}$)`,
  show: showLayerVersion,
  acts: { add: submitStatement, remove: submitRemoval, delete: submitDeletion },
};

interface VersionName {
  readonly LayerName: string;
  readonly VersionNumber: number;
}

function namedBy({ path }: ConsoleContext): VersionName {
  return { LayerName: path['layer'] ?? '', VersionNumber: Number(path['version']) };
}

function addressOf({ LayerName, VersionNumber }: VersionName): string {
  return layerPath(LayerName, VersionNumber);
}

async function showLayerVersion(
  context: ConsoleContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { run, user } = context;
  const named = namedBy(context);
  const { LayerName, VersionNumber } = named;
  const layer = await run(getLayerVersion)(named);
  const policy = await loadPolicy(() => run(getLayerVersionPolicy)(named));
  const locked = lockedStatements(policy);
  const { notice } = changedMeanwhile(refused, locked);
  const form = createPageForm(addressOf(named), user.secret, refused);
  const { Location = '', CodeSize = 0, CodeSha256 } = layer.Content ?? {};
  return formPage(
    `Layer ${LayerName}, version ${VersionNumber}`,
    html`<h1>
        <a class="crumb" href="${layersPath}">Layers</a> /
        <a class="crumb" href="${layerPath(LayerName)}">${LayerName}</a> / Version ${VersionNumber}
      </h1>
      ${factsView([
        ['ARN', html`<code>${layer.LayerVersionArn}</code>`],
        ['Description', layer.Description],
        ['Published', timeElement(Date.parse(layer.CreatedDate ?? ''), context.now)],
        ['Compatible runtimes', layer.CompatibleRuntimes?.join(', ')],
        ['Compatible architectures', layer.CompatibleArchitectures?.join(', ')],
        ['License', layer.LicenseInfo],
        ['SHA-256', CodeSha256 === undefined ? undefined : html`<code>${CodeSha256}</code>`],
      ])}
      <p>A function uses this version when its configuration lists the ARN under Layers.</p>
      <p>
        <a
          class="button"
          href="${new URL(Location).pathname}"
          download="${LayerName}-${VersionNumber}.zip"
          >Download zip (${bytesText(CodeSize)})</a
        >
      </p>
      <h2>Policy</h2>
      ${notice}
      ${statementsView({ form, refused }, policy, {
        empty: 'The policy has no statement: only this account may use the version. Add one below.',
        hidden: html``,
      })}
      <h2>Add permission</h2>
      ${form.view('add', html`${lockFields(policy.revision, locked)} ${statementFields(form)}`)}
      <h2>Delete version</h2>
      <p>Functions that use it go on with it; none can be configured with it any more.</p>
      ${form.view('delete', button('Delete version', 'danger'), 'line')}`,
    refused?.status,
  );
}

function statementFields(form: PageForm): Html {
  return html`${textField({
    label: 'Statement ID',
    name: 'id',
    value: form.value('id'),
    required: true,
  })}
  ${textField({
    label: 'Principal',
    name: 'principal',
    value: form.value('principal'),
    required: true,
    hint: 'The number of an account, or * for all.',
  })}
  ${textField({
    label: 'Organization',
    name: 'organization',
    value: form.value('organization'),
    hint: 'Optional, with *: only accounts of this organization.',
  })}
  ${button('Add permission', 'primary')}`;
}

async function submitStatement(context: ConsoleForm): Promise<string> {
  const named = namedBy(context);
  const given = (field: string): string => (context.form.get(field) ?? '').trim();
  const organization = given('organization');
  await context.run(addLayerVersionPermission)({
    ...named,
    StatementId: given('id'),
    Action: 'lambda:GetLayerVersion',
    Principal: given('principal'),
    RevisionId: given('revision'),
    ...(organization === '' ? {} : { OrganizationId: organization }),
  });
  return addressOf(named);
}

async function submitRemoval(context: ConsoleForm): Promise<string> {
  const named = namedBy(context);
  await context.run(removeLayerVersionPermission)({
    ...named,
    StatementId: context.form.get('statement') ?? '',
    RevisionId: context.form.get('revision') ?? '',
  });
  return addressOf(named);
}

async function submitDeletion(context: ConsoleForm): Promise<string | WebResponse> {
  const named = namedBy(context);
  const { LayerName, VersionNumber } = named;
  const asked = askFirst(context, {
    question: `Delete version ${VersionNumber} of the layer ${LayerName}?`,
    label: 'Delete version',
    target: `${addressOf(named)}/delete`,
    back: addressOf(named),
  });
  if (asked) return asked;
  await context.run(deleteLayerVersion)(named);
  return layersPath;
}
