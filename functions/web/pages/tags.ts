import { listTags, tagResource, untagResource } from '#functions-contract/operations/tags.ts';
import { button } from '#web/fields.ts';
import { html, type Html } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { functionPath, functionRoute } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import {
  baseField,
  changedMeanwhile,
  type LockedValue,
  requireUnchanged,
} from '../parts/changed-meanwhile.ts';
import { functionHead } from '../parts/function-head.ts';
import { loadConfiguration } from '../parts/load-function.ts';

export const tagsPage: ConsolePage = {
  path: functionRoute('tags'),
  show: showTags,
  acts: { save: submitTags },
};

/** Rows for new tags. */
const blankRows = 3;

async function showTags(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const { run, path, user } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const { Tags = {} } = await run(listTags)({ Resource: configuration.FunctionArn ?? '' });
  const locked = lockedTags(Tags);
  const { notice } = changedMeanwhile(refused, locked);
  const form = createPageForm(functionPath(name, 'tags'), user.secret, refused);
  const given = refused ? Object.fromEntries(pairsIn(refused.fields)) : Tags;
  return formPage(
    `Tags · ${name}`,
    html`${functionHead(configuration, 'tags')} ${notice}
      <p class="soft">To remove a tag, clear its key.</p>
      ${form.view(
        'save',
        html`${baseField(locked)}
        ${[...Object.entries(given), ...Array.from({ length: blankRows }, () => ['', ''])].map(
          ([key = '', value = ''], index) => tagRow(key, value, index),
        )}
        ${button('Save', 'primary')}`,
      )}`,
    refused?.status,
  );
}

function lockedTags(tags: Readonly<Record<string, string>>): readonly LockedValue[] {
  return Object.entries(tags).map(([name, value]) => ({ name, label: `Tag ${name}`, value }));
}

function tagRow(key: string, value: string, index: number): Html {
  const about = key === '' ? `of new tag ${index + 1}` : `of tag ${key}`;
  const control = (name: string, text: string, label: string): Html =>
    html`<input
      type="text"
      name="${name}"
      value="${text}"
      aria-label="${label} ${about}"
      placeholder="${label}"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
    />`;
  return html`<div class="actions">
    ${control('tag_key', key, 'Key')} ${control('tag_value', value, 'Value')}
  </div>`;
}

function pairsIn(form: URLSearchParams): readonly (readonly [key: string, value: string])[] {
  const values = form.getAll('tag_value');
  return form
    .getAll('tag_key')
    .map((key, index) => [key.trim(), values[index] ?? ''] as const)
    .filter(([key]) => key !== '');
}

/** Writes what differs. A refusal of new tags leaves all as they were. */
async function submitTags(context: ConsoleForm): Promise<string> {
  const { run, path, form } = context;
  const { name = '' } = path;
  const { FunctionArn: Resource = '' } = await loadConfiguration(context);
  const { Tags: before = {} } = await run(listTags)({ Resource });
  requireUnchanged(form, lockedTags(before));
  const after = new Map(pairsIn(form));
  const changed = [...after].filter(
    ([key, value]) => !Object.hasOwn(before, key) || before[key] !== value,
  );
  const removed = Object.keys(before).filter((key) => !after.has(key));
  if (changed.length > 0) await run(tagResource)({ Resource, Tags: Object.fromEntries(changed) });
  if (removed.length > 0) await run(untagResource)({ Resource, TagKeys: removed });
  return functionPath(name, 'tags');
}
