import {
  createAlias,
  deleteAlias,
  getAlias,
  updateAlias,
} from '#functions-contract/operations/aliases.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import { button, selectField, textField } from '#web/fields.ts';
import { html, type Html } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { invalidParameter } from '../../errors/functions-error.ts';
import { functionPath, functionRoute } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { changedMeanwhile, type LockedValue, lockFields } from '../parts/changed-meanwhile.ts';
import { askFirst } from '../parts/confirm.ts';
import { functionHead } from '../parts/function-head.ts';
import {
  aliasesMax,
  loadConfiguration,
  loadListedAliases,
  loadVersions,
} from '../parts/load-function.ts';

export const aliasesPage: ConsolePage = {
  path: functionRoute('aliases'),
  show: showAliases,
  acts: { create: submitNewAlias },
};

export const aliasPage: ConsolePage = {
  path: functionRoute('alias/:alias'),
  show: showAlias,
  acts: { update: submitAlias, delete: submitDeletion },
};

type Alias = StructureOf<(typeof getAlias)['output']>;

function aliasPath(name: string, alias: string): string {
  return functionPath(name, `alias/${encodeURIComponent(alias)}`);
}

async function showAliases(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const { path, user } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const versions = await loadVersions(context);
  const aliases = await loadListedAliases(context);
  const form = createPageForm(functionPath(name, 'aliases'), user.secret, refused);
  return formPage(
    `Aliases · ${name}`,
    html`${functionHead(configuration, 'aliases')}
      ${
        aliases.length === 0
          ? html`<p class="empty">
              There is no alias. An alias is a name for a version, which can be moved from one to
              another. Create one below.
            </p>`
          : html`<ul class="rows">
              ${aliases.map(
                (alias) =>
                  html`<li>
                    <a href="${aliasPath(name, alias.Name ?? '')}">${alias.Name}</a>
                    <span class="grow soft">${alias.Description}</span>
                    <span>${routingText(alias)}</span>
                  </li>`,
              )}
            </ul>`
      }
      ${aliases.length < aliasesMax ? '' : html`<p class="soft">More aliases than these ${aliasesMax} are not shown.</p>`}
      <h2>Create alias</h2>
      ${form.view(
        'create',
        html`${textField({
          label: 'Name',
          name: 'alias',
          value: form.value('alias'),
          required: true,
        })}
        ${aliasFields(form, {}, ['$LATEST', ...versions])} ${button('Create alias', 'primary')}`,
      )}`,
    refused?.status,
  );
}

/** `version 2, 10 % to version 3`. */
function routingText({ FunctionVersion, RoutingConfig }: Alias): string {
  const others = Object.entries(RoutingConfig?.AdditionalVersionWeights ?? {});
  return [
    `version ${FunctionVersion}`,
    ...others.map(([version, weight]) => `${percentOf(weight)} % to version ${version}`),
  ].join(', ');
}

function percentOf(weight: number): number {
  return Number((weight * 100).toFixed(6));
}

async function showAlias(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const { run, path, user } = context;
  const { name = '', alias: aliasName = '' } = path;
  const configuration = await loadConfiguration(context);
  const alias = await run(getAlias)({ FunctionName: name, Name: aliasName });
  const versions = await loadVersions(context);
  const locked = lockedFields(alias);
  const meanwhile = changedMeanwhile(refused, locked);
  const form = createPageForm(aliasPath(name, aliasName), user.secret, meanwhile.refused);
  return formPage(
    `${aliasName} · ${name}`,
    html`${functionHead(configuration, 'aliases')}
      <h2>Alias ${aliasName}: ${routingText(alias)}</h2>
      ${meanwhile.notice}
      ${form.view(
        'update',
        html`${lockFields(alias.RevisionId ?? '', locked)}
        ${aliasFields(form, alias, ['$LATEST', ...versions])} ${button('Save', 'primary')}`,
      )}
      ${form.view('delete', button('Delete alias', 'danger'), 'line')}`,
    refused?.status,
  );
}

/** The fields of an alias as they are now. */
function lockedFields({
  FunctionVersion = '',
  Description = '',
  RoutingConfig,
}: Alias): readonly LockedValue[] {
  const [other] = Object.entries(RoutingConfig?.AdditionalVersionWeights ?? {});
  const [version = '', weight] = other ?? [];
  return [
    { name: 'version', label: 'Version', value: FunctionVersion },
    { name: 'description', label: 'Description', value: Description },
    {
      name: 'additional',
      label: 'Additional version',
      value: version,
      ...(other ? {} : { shown: 'none' }),
    },
    {
      name: 'weight',
      label: 'Weight of the additional version (%)',
      value: weight === undefined ? '' : String(percentOf(weight)),
    },
  ];
}

function aliasFields(form: PageForm, alias: Alias, versions: readonly string[]): Html {
  const present = new Map(lockedFields(alias).map(({ name, value }) => [name, value]));
  const choices = withPresent(versions, alias);
  const value = (name: string): string => form.value(name, present.get(name));
  return html`${selectField({
    label: 'Version',
    name: 'version',
    value: form.value('version', alias.FunctionVersion ?? versions[1] ?? '$LATEST'),
    options: choices,
  })}
  ${textField({
    label: 'Description',
    name: 'description',
    value: value('description'),
  })}
  ${selectField({
    label: 'Additional version',
    name: 'additional',
    value: value('additional'),
    options: [
      { value: '', label: 'None: all invocations go to the version above' },
      ...choices.filter((version) => version !== '$LATEST'),
    ],
  })}
  ${textField({
    label: 'Weight of the additional version (%)',
    name: 'weight',
    value: value('weight'),
    type: 'number',
  })}`;
}

/** Those of the alias may be too old to be offered: a browser would send the first one instead. */
function withPresent(
  versions: readonly string[],
  { FunctionVersion, RoutingConfig }: Alias,
): readonly string[] {
  const others = Object.keys(RoutingConfig?.AdditionalVersionWeights ?? {});
  return [...new Set([...versions, ...(FunctionVersion ? [FunctionVersion] : []), ...others])];
}

/** The members that both operations have. */
function aliasInput(form: URLSearchParams): {
  readonly FunctionVersion: string;
  readonly Description: string;
  readonly RoutingConfig: { readonly AdditionalVersionWeights: Readonly<Record<string, number>> };
} {
  const additional = form.get('additional') ?? '';
  const weight = (form.get('weight') ?? '').trim();
  if (additional !== '' && !/^\d{1,3}(?:\.\d{1,6})?$/.test(weight)) {
    throw invalidParameter('The weight of the additional version must be a number of percent.');
  }
  return {
    FunctionVersion: form.get('version') ?? '',
    Description: form.get('description') ?? '',
    RoutingConfig: {
      AdditionalVersionWeights: additional === '' ? {} : { [additional]: Number(weight) / 100 },
    },
  };
}

async function submitNewAlias({ run, path, form }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  const Name = (form.get('alias') ?? '').trim();
  await run(createAlias)({ FunctionName: name, Name, ...aliasInput(form) });
  return functionPath(name, 'aliases');
}

async function submitAlias({ run, path, form }: ConsoleForm): Promise<string> {
  const { name = '', alias = '' } = path;
  const RevisionId = form.get('revision') ?? '';
  await run(updateAlias)({ FunctionName: name, Name: alias, RevisionId, ...aliasInput(form) });
  return functionPath(name, 'aliases');
}

async function submitDeletion(context: ConsoleForm): Promise<string | WebResponse> {
  const { run, path } = context;
  const { name = '', alias = '' } = path;
  const back = functionPath(name, 'aliases');
  const asked = askFirst(context, {
    question: `Delete the alias ${alias} of ${name}?`,
    label: 'Delete alias',
    target: `${aliasPath(name, alias)}/delete`,
    back,
  });
  if (asked) return asked;
  await run(deleteAlias)({ FunctionName: name, Name: alias });
  return back;
}
