import { required, structure, text } from '#functions-contract/shape.ts';
import { button, selectField, textArea, textField } from '#web/fields.ts';
import { administrationHead } from '#web/administration.ts';
import { asking, hidden, problemView } from '#web/form.ts';
import { html, type Html, pageLinks } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import {
  isResourceKind,
  resourceKinds,
  type ResourceName,
} from '../../configured-resources/resource-kinds.ts';
import {
  addResource,
  type ListedResource,
  removeResource,
  resourcesOf,
} from '../../added-resources/administer-resources.ts';
import { invalidParameter } from '../../errors/functions-error.ts';
import { resourcesPath } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { pageNumber } from '../parts/list-page.ts';

export const resourcesPage: ConsolePage = {
  path: resourcesPath,
  forSiteAdmins: true,
  show: showResources,
  acts: { add: submitAddition, remove: submitRemoval },
};

/** Configured resources on a page. */
const pageSize = 50;

const kinds = Object.keys(resourceKinds);

/** What functions can use, without the declarations, which may have credentials. */
async function showResources(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const { ports, user, query, administration } = context;
  const all = await resourcesOf(ports, ports.fileResources);
  const number = pageNumber(query);
  const end = number * pageSize;
  const shown = all.slice(end - pageSize, end);
  const form = createPageForm(resourcesPath, user.secret, refused);
  const addition = form.view(
    'add',
    html`${selectField({
      label: 'Kind',
      name: 'kind',
      value: form.value('kind'),
      options: kinds,
    })}
    ${textField({
      label: 'Name',
      name: 'name',
      value: form.value('name'),
      maxLength: 256,
      required: true,
      hint: 'The id of a subnet or a security group; the ARN of everything else.',
    })}
    ${textArea({
      label: 'Declaration',
      name: 'declaration',
      value: form.value('declaration'),
      required: true,
      hint: 'The JSON object that the file of HOB_RESOURCES would have for it.',
    })}
    ${examples} ${button('Add resource', 'primary')}`,
  );
  return formPage(
    'Resources · Administration',
    html`${administrationHead('Resources', administration, resourcesPath)}
      ${problemView(form.problemLeft())}
      <p>
        Networks, file systems, queues and capacity that functions can use. Those of the file of
        HOB_RESOURCES are changed there. HOB_SHARED_FOLDERS and HOB_SHARED_HOSTS say which folders
        and hosts of this server a declaration here may name.
      </p>
      ${
        shown.length === 0
          ? html`<p class="empty">No resource is declared. Add one below.</p>`
          : html`<ul class="rows">
              ${shown.map((each) => row(each, form))}
            </ul>`
      }
      ${pageLinks(resourcesPath, { number }, end < all.length)}
      <h2>Add resource</h2>
      <p>One that was added under the same name is replaced.</p>
      ${addition}`,
    refused?.status,
  );
}

function row({ kind, name, origin }: ListedResource, form: PageForm): Html {
  const removal = html`${hidden('kind', kind)} ${hidden('name', name)}
  ${button('Remove', 'danger', name)}`;
  return html`<li>
    <span class="mark">${kind}</span> <span class="grow">${name}</span>
    ${
      origin === 'file'
        ? html`<span class="soft">from the file</span>`
        : asking('Remove', form.row('remove', removal))
    }
  </li>`;
}

const examples = html`<details>
  <summary>Examples</summary>
  <dl class="facts">
    ${[
      ['subnet', '{"vpc":"vpc-1","reaches":[{"name":"db","port":5432,"at":"127.0.0.1:5432"}]}'],
      ['security-group', '{"vpc":"vpc-1","ports":[5432]}'],
      ['access-point', '{"folder":"/srv/shared"}'],
      ['target', '{"http":"https://example.org/alerts"}'],
      ['capacity-provider', '{"environmentsMax":8}'],
    ].map(
      ([kind, declaration]) =>
        html`<div>
          <dt>${kind}</dt>
          <dd><code>${declaration}</code></dd>
        </div>`,
    )}
  </dl>
</details>`;

/** The declaration stays out of the audit log: it may have credentials. */
const input = structure({
  Kind: required(text, 'The kind of the resource.'),
  Name: required(text, 'Its id or ARN.'),
});

async function submitAddition(context: ConsoleForm): Promise<string> {
  const { ports, form, record } = context;
  const named = nameIn(form);
  const declaration = form.get('declaration') ?? '';
  await record({ name: 'AddResource', input }, shownInLog(named), () =>
    addResource(ports, named, declaration, ports.fileResources, {
      dataDirectory: ports.dataDirectory,
      shared: ports.settings,
    }),
  );
  return resourcesPath;
}

async function submitRemoval(context: ConsoleForm): Promise<string> {
  const { ports, form, record } = context;
  const named = nameIn(form);
  await record({ name: 'RemoveResource', input }, shownInLog(named), () =>
    removeResource(ports, named, ports.fileResources),
  );
  return resourcesPath;
}

function nameIn(form: URLSearchParams): ResourceName {
  const kind = form.get('kind') ?? '';
  if (!isResourceKind(kind)) throw invalidParameter(`The kind is one of ${kinds.join(', ')}.`);
  return { kind, name: (form.get('name') ?? '').trim() };
}

function shownInLog({ kind, name }: ResourceName): object {
  return { Kind: kind, Name: name };
}
