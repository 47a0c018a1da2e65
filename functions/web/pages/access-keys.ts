import { required, structure, text } from '#functions-contract/shape.ts';
import { administrationHead } from '#web/administration.ts';
import { button } from '#web/fields.ts';
import { asking, hidden, problemView } from '#web/form.ts';
import { html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import type { ListedAccessKey } from '../../access-keys/access-key-store.ts';
import { allAccessKeys, deleteAccessKey } from '../../access-keys/administer-access-keys.ts';
import { accessKeysPath } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { pageNumber } from '../parts/list-page.ts';

export const accessKeysPage: ConsolePage = {
  path: accessKeysPath,
  forSiteAdmins: true,
  show: showAccessKeys,
  acts: { delete: submitDeletion },
};

/** Access keys on a page. */
const pageSize = 50;

/** The keys of all users, without their secrets. */
async function showAccessKeys(
  context: ConsoleContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, user, query, now, administration } = context;
  const number = pageNumber(query);
  const bounds = { offset: (number - 1) * pageSize, size: pageSize + 1 };
  const keys = await allAccessKeys(ports, bounds);
  const form = createPageForm(accessKeysPath, user.secret, refused);
  return formPage(
    'Access keys · Administration',
    html`${administrationHead('Access keys', administration, accessKeysPath)}
      ${problemView(form.problemLeft())}
      <p>
        Requests to functions are signed with access keys. A user needs one for the pages of
        functions: <code>./hob admin create-access-key LOGIN</code>
      </p>
      ${
        keys.length === 0
          ? html`<p class="empty">No access keys on this page.</p>`
          : html`<ul class="rows">
              ${keys.slice(0, pageSize).map((key) => row(key, form, now))}
            </ul>`
      }
      ${pageLinks(accessKeysPath, { number }, keys.length > pageSize)}`,
    refused?.status,
  );
}

function row(
  { accessKeyId, login, createdAt }: ListedAccessKey,
  form: PageForm,
  now: number,
): Html {
  const deletion = html`<p>Requests that are signed with it are refused from then on.</p>
    ${hidden('key', accessKeyId)} ${button('Delete', 'danger', accessKeyId)}`;
  return html`<li>
    <code>${accessKeyId}</code> <span class="grow">${login}</span> ${timeElement(createdAt, now)}
    ${asking('Delete', form.row('delete', deletion))}
  </li>`;
}

/** The names that AWS IAM has for them. */
const input = structure({ AccessKeyId: required(text, 'The id of the key.') });

async function submitDeletion({ ports, form, record }: ConsoleForm): Promise<string> {
  const accessKeyId = form.get('key') ?? '';
  await record({ name: 'DeleteAccessKey', input }, { AccessKeyId: accessKeyId }, () =>
    deleteAccessKey(ports, accessKeyId),
  );
  return accessKeysPath;
}
