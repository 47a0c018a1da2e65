import {
  createFunctionUrlConfig,
  deleteFunctionUrlConfig,
  getFunctionUrlConfig,
  updateFunctionUrlConfig,
} from '#functions-contract/operations/function-urls.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import { button, selectField, textArea, textField } from '#web/fields.ts';
import { checkbox, hidden } from '#web/form.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
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
import { askFirst } from '../parts/confirm.ts';
import { factsView } from '../parts/facts.ts';
import { functionHead } from '../parts/function-head.ts';
import { loadAliases, loadConfiguration } from '../parts/load-function.ts';
import {
  chosenQualifier,
  qualifierChoice,
  qualifierMember,
  withQualifier,
} from '../parts/qualifier-choice.ts';
import { readWholeNumber } from '../parts/settings.ts';
import { withLineFeeds } from '../parts/variables.ts';

export const functionUrlPage: ConsolePage = {
  path: functionRoute('url'),
  show: showUrl,
  acts: { create: submitNewUrl, update: submitUrl, delete: submitDeletion },
};

type UrlConfig = StructureOf<(typeof createFunctionUrlConfig)['output']>;
type Cors = NonNullable<UrlConfig['Cors']>;

const authTypes = [
  { value: 'AWS_IAM', label: 'AWS_IAM: only signed requests of callers with permission' },
  { value: 'NONE', label: 'NONE: every request, where a statement of the policy allows it' },
] as const;

const invokeModes = [
  { value: 'BUFFERED', label: 'BUFFERED: the response is sent when it is complete' },
  { value: 'RESPONSE_STREAM', label: 'RESPONSE_STREAM: the response is sent as it is written' },
] as const;

/** The lists of a CORS configuration, each a field with a value per line. */
const corsLists = {
  AllowOrigins: 'Allowed origins',
  AllowMethods: 'Allowed methods',
  AllowHeaders: 'Allowed headers',
  ExposeHeaders: 'Exposed headers',
} as const;

async function showUrl(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const { path, user } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const qualifier = chosenQualifier(context, refused);
  const config = await load(context, qualifier);
  const locked = lockedSettings(config);
  const meanwhile = changedMeanwhile(refused, locked);
  const pageUrl = functionPath(name, 'url');
  const form = createPageForm(pageUrl, user.secret, meanwhile.refused);
  const about = qualifier === '' ? name : `${name}:${qualifier}`;
  return formPage(
    `Function URL · ${name}`,
    html`${functionHead(configuration, 'url')}
    ${qualifierChoice(pageUrl, await loadAliases(context), qualifier)}
    ${
      config
        ? html`<h2>Function URL of ${about}</h2>
            ${factsView([
              ['URL', html`<a href="${config.FunctionUrl ?? ''}">${config.FunctionUrl}</a>`],
              ['Created', timeElement(Date.parse(config.CreationTime ?? ''), context.now)],
            ])}
            ${meanwhile.notice}
            ${form.view(
              'update',
              html`${baseField(locked)} ${urlFields(form, config, qualifier)}
              ${button('Save', 'primary')}`,
            )}
            ${form.view(
              'delete',
              html`${hidden('qualifier', qualifier)} ${button('Delete function URL', 'danger')}`,
              'line',
            )}`
        : html`<h2>Create function URL of ${about}</h2>
            <p>
              A function URL is an address at which ${about} answers HTTP requests. With NONE,
              anybody may call it after you allow it under
              <a href="${withQualifier(functionPath(name, 'permissions'), qualifier)}"
                >Permissions</a
              >.
            </p>
            ${form.view(
              'create',
              html`${urlFields(form, {}, qualifier)} ${button('Create function URL', 'primary')}`,
            )}`
    }`,
    refused?.status,
  );
}

async function load(
  { run, path }: ConsoleContext,
  qualifier: string,
): Promise<UrlConfig | undefined> {
  const FunctionName = path['name'] ?? '';
  return orAbsent(run(getFunctionUrlConfig)({ FunctionName, ...qualifierMember(qualifier) }));
}

/** The settings of a function URL as they are now; none where it was deleted. */
function lockedSettings(config: UrlConfig | undefined): readonly LockedValue[] {
  if (!config) return [];
  const { AuthType = '', InvokeMode = 'BUFFERED', Cors = {} } = config;
  return [
    { name: 'auth', label: 'Auth type', value: AuthType },
    { name: 'mode', label: 'Invoke mode', value: InvokeMode },
    ...corsNames.map((name) => ({
      name,
      label: corsLists[name],
      value: (Cors[name] ?? []).join('\n'),
    })),
    { name: 'MaxAge', label: 'Max age', value: String(Cors.MaxAge ?? '') },
    {
      name: 'credentials',
      label: 'Allow credentials',
      value: Cors.AllowCredentials === true ? 'on' : 'off',
    },
  ];
}

function urlFields(
  form: PageForm,
  { AuthType, InvokeMode, Cors }: UrlConfig,
  qualifier: string,
): Html {
  return html`${hidden('qualifier', qualifier)}
    ${selectField({
      label: 'Auth type',
      name: 'auth',
      value: form.value('auth', AuthType ?? 'AWS_IAM'),
      options: authTypes,
    })}
    ${selectField({
      label: 'Invoke mode',
      name: 'mode',
      value: form.value('mode', InvokeMode ?? 'BUFFERED'),
      options: invokeModes,
    })}
    <fieldset>
      <legend>Cross-origin resource sharing (CORS)</legend>
      <p class="soft">
        One value per line; * stands for all. Without any, browsers let no other site read
        responses.
      </p>
      ${corsNames.map((list) =>
        textArea({
          label: corsLists[list],
          name: list,
          value: form.value(list, (Cors?.[list] ?? []).join('\n')),
          rows: 2,
        }),
      )}
      ${textField({
        label: 'Max age (seconds)',
        name: 'MaxAge',
        value: form.value('MaxAge', Cors?.MaxAge === undefined ? '' : String(Cors.MaxAge)),
        type: 'number',
      })}
      ${checkbox(
        'AllowCredentials',
        'yes',
        form.checked('AllowCredentials', 'yes', Cors?.AllowCredentials === true),
        'Allow credentials',
      )}
    </fieldset>`;
}

const corsNames = ['AllowOrigins', 'AllowMethods', 'AllowHeaders', 'ExposeHeaders'] as const;

function urlInput(form: URLSearchParams): {
  readonly AuthType: 'NONE' | 'AWS_IAM';
  readonly InvokeMode: 'RESPONSE_STREAM' | 'BUFFERED';
  readonly Cors: Cors;
} {
  return {
    AuthType: form.get('auth') === 'NONE' ? 'NONE' : 'AWS_IAM',
    InvokeMode: form.get('mode') === 'RESPONSE_STREAM' ? 'RESPONSE_STREAM' : 'BUFFERED',
    Cors: corsIn(form),
  };
}

function corsIn(form: URLSearchParams): Cors {
  const lists = corsNames
    .map((list) => [list, linesOf(form.get(list))] as const)
    .filter(([, values]) => values.length > 0);
  const maxAge = (form.get('MaxAge') ?? '').trim();
  return {
    ...Object.fromEntries(lists),
    ...(maxAge === '' ? {} : { MaxAge: readWholeNumber(maxAge, 'Max age') }),
    ...(form.get('AllowCredentials') === 'yes' ? { AllowCredentials: true } : {}),
  };
}

function linesOf(text: string | null): readonly string[] {
  return withLineFeeds(text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

async function submitNewUrl({ run, path, form }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  const qualifier = form.get('qualifier') ?? '';
  const target = { FunctionName: name, ...qualifierMember(qualifier) };
  await run(createFunctionUrlConfig)({ ...target, ...urlInput(form) });
  return withQualifier(functionPath(name, 'url'), qualifier);
}

async function submitUrl(context: ConsoleForm): Promise<string> {
  const { run, path, form } = context;
  const { name = '' } = path;
  const qualifier = form.get('qualifier') ?? '';
  requireUnchanged(form, lockedSettings(await load(context, qualifier)));
  const target = { FunctionName: name, ...qualifierMember(qualifier) };
  await run(updateFunctionUrlConfig)({ ...target, ...urlInput(form) });
  return withQualifier(functionPath(name, 'url'), qualifier);
}

async function submitDeletion(context: ConsoleForm): Promise<string | WebResponse> {
  const { run, path, form } = context;
  const { name = '' } = path;
  const qualifier = form.get('qualifier') ?? '';
  const back = withQualifier(functionPath(name, 'url'), qualifier);
  const asked = askFirst(context, {
    question: `Delete the function URL of ${name}? A new one would be another address.`,
    label: 'Delete function URL',
    target: `${functionPath(name, 'url')}/delete`,
    back,
  });
  if (asked) return asked;
  await run(deleteFunctionUrlConfig)({ FunctionName: name, ...qualifierMember(qualifier) });
  return back;
}
