import { deleteFunction, publishVersion } from '#functions-contract/operations/functions.ts';
import { button, textField } from '#web/fields.ts';
import { hidden, problemView } from '#web/form.ts';
import { html, timeElement } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { invalidParameter } from '../../errors/functions-error.ts';
import { functionPath, functionRoute } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { askFirst } from '../parts/confirm.ts';
import { functionHead, stateMark } from '../parts/function-head.ts';
import {
  loadConfiguration,
  loadListedAliases,
  loadPublished,
  versionsMax,
} from '../parts/load-function.ts';

export const versionsPage: ConsolePage = {
  path: functionRoute('versions'),
  show: showVersions,
  acts: { publish, delete: deleteVersion },
};

async function showVersions(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const { path, now, user } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const published = await loadPublished(context);
  const aliases = await loadListedAliases(context);
  const aliasesOf = (version: string): readonly string[] =>
    aliases
      .filter(
        ({ FunctionVersion, RoutingConfig }) =>
          FunctionVersion === version || version in (RoutingConfig?.AdditionalVersionWeights ?? {}),
      )
      .map(({ Name = '' }) => Name);
  const pageUrl = functionPath(name, 'versions');
  const form = createPageForm(pageUrl, user.secret, refused);
  const deletion = (version: string) =>
    form.row(
      'delete',
      html`${hidden('version', version)} ${button('Delete', 'danger', `version ${version}`)}`,
    );
  return formPage(
    `Versions · ${name}`,
    html`${functionHead(configuration, 'versions')}
      ${
        published.length === 0
          ? html`<p class="empty">
              No version is published. A version is an unchangeable copy of code and configuration;
              aliases point to versions. Publish one below.
            </p>`
          : html`<ul class="rows">
              ${published.map(
                (each) =>
                  html`<li>
                    <strong>${each.Version}</strong>
                    <span class="grow soft">${each.Description}</span>
                    ${aliasesOf(each.Version ?? '').map(
                      (alias) =>
                        html`<a
                          class="mark"
                          href="${functionPath(name, `alias/${encodeURIComponent(alias)}`)}"
                          >${alias}</a
                        > `,
                    )}
                    <span class="mark">${each.Runtime}</span> ${stateMark(each)}
                    ${timeElement(Date.parse(each.LastModified ?? ''), now)}
                    <a
                      href="${functionPath(name, 'test')}?qualifier=${each.Version}"
                      aria-label="Test version ${each.Version}"
                      >Test</a
                    >
                    ${deletion(each.Version ?? '')}
                  </li>`,
              )}
            </ul>`
      }
      ${
        published.length < versionsMax
          ? ''
          : html`<p class="soft">Older versions than these ${versionsMax} are not shown.</p>`
      }
      ${problemView(refused?.act === 'delete' ? refused.problem : undefined)}
      <h2>Publish new version</h2>
      ${form.view(
        'publish',
        html`${hidden('revision', configuration.RevisionId ?? '')}
        ${textField({
          label: 'Version description',
          name: 'description',
          value: form.value('description'),
        })}
        ${button('Publish', 'primary')}`,
      )}`,
    refused?.status,
  );
}

async function publish({ run, path, form }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  const description = form.get('description') ?? '';
  await run(publishVersion)({
    FunctionName: name,
    RevisionId: form.get('revision') ?? '',
    ...(description === '' ? {} : { Description: description }),
  });
  return functionPath(name, 'versions');
}

async function deleteVersion(context: ConsoleForm): Promise<string | WebResponse> {
  const { run, path, form } = context;
  const { name = '' } = path;
  const version = form.get('version') ?? '';
  const back = functionPath(name, 'versions');
  const asked = askFirst(context, {
    question: `Delete version ${version} of ${name}?`,
    label: 'Delete version',
    target: `${back}/delete`,
    back,
  });
  if (asked) return asked;
  await run(deleteFunction)({ FunctionName: name, Qualifier: onlyVersion(version) });
  return back;
}

/** Without a number, the operation deletes the whole function. */
function onlyVersion(text: string): string {
  if (/^\d+$/.test(text)) return text;
  throw invalidParameter('A version is named by its number.');
}
