import { textField } from '#web/fields.ts';
import { problemView, tokenFor } from '#web/form.ts';
import { liveScript } from '#web/assets.ts';
import { bytesText, html, type Html } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, seeOther, type WebResponse } from '#web/web-response.ts';

import { notFound } from '../../errors/api-error.ts';
import { findImport, type RepositoryImport } from '../../imports/import-store.ts';
import { isInterrupted } from '../../imports/imports.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import { importPath } from '../kit/page-paths.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, RepositoryContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { visibilityFields } from '../parts/visibility-fields.ts';
import { type ActContext, refusedAct } from './discussion-acts.ts';
import { createFrom, ownerAndNameFields, ownersFor } from './new-repository.ts';

/** Time after which the page of an import under way is loaded again where no script renews it. */
const refreshSeconds = 3;

/** The form for a repository that begins with what another server has. */
export async function showNewImport(
  context: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { session, imports } = context;
  const value = (field: string): string => refused?.fields.get(field) ?? '';
  const owners = await ownersFor(context);
  return formPage(
    'Import repository',
    html`<h1>Import repository</h1>
      ${
        imports
          ? html`<p>
              Branches, tags and their history are copied once, from a public git repository. Issues
              and pull requests are not.
            </p>`
          : ''
      }
      ${
        imports === undefined
          ? html`<p class="empty">
              This server fetches nothing from others (<code>HOB_IMPORTS</code>). Create an empty
              repository, and push to it as below.
            </p>`
          : html`<form class="fields" method="post" action="${importPath}">
              ${tokenFor(session.secret)} ${problemView(refused?.problem)}
              ${textField({
                label: 'Address of the git repository',
                name: 'url',
                type: 'url',
                value: value('url'),
                required: true,
              })}
              ${ownerAndNameFields(owners, value)}
              ${visibilityFields(value('visibility') === 'private')}
              <button class="primary" type="submit">Begin import</button>
            </form>`
      }
      ${pushHint(context.urls.clone('OWNER/NAME'))}`,
    refused?.status,
  );
}

function pushHint(clone: string): Html {
  return html`<h2>From a private repository</h2>
    <p>
      Create an empty repository here, and push to it from a machine that can read the other one:
    </p>
    <pre tabindex="0">
git clone --mirror OTHER-URL repository.git
git -C repository.git push ${clone} 'refs/heads/*:refs/heads/*' 'refs/tags/*:refs/tags/*'</pre>`;
}

/** Creates the repository, begins the import, and leads to its page. */
export function submitNewImport(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { form, session, urls } = context;
    const imports = context.imports ?? notFound();
    const show = (refused: RefusedForm): Promise<WebResponse> => showNewImport(context, refused);
    return refusedAct({ name: 'import', form, show }, async () => {
      const accountId = session.account.id;
      return imports.reserve({ url: form.get('url') ?? '', accountId }, async (reserved) => {
        const { id, name } = await createFrom(perform, context);
        await reserved.start(id);
        return seeOther(`${urls.repositoryHtml(name)}/import`);
      });
    });
  };
}

/** How far the import of a repository is, for those who may push to it. */
export async function showImport(
  context: RepositoryContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, repository, permission, urls, session, now } = context;
  if (!atLeast(permission, 'write')) return notFound();
  const found = (await ports.database.read((sql) => findImport(sql, repository.id))) ?? notFound();
  const home = urls.repositoryHtml(fullName(repository));
  const isUnderWay = found.state === 'importing' && !isInterrupted(found, now);
  const form = createPageForm(`${new URL(home).pathname}/import`, session.secret, refused);
  const state = html`<p>${stateView(found, now)} <code>${found.url}</code></p>
    <p>${detailsView(found, isUnderWay)}</p>`;
  return {
    ...formPage(
      `Import · ${fullName(repository)}`,
      html`${repositoryHead(context)}
        <h2>Import</h2>
        ${problemView(form.problemLeft())}
        ${isUnderWay ? html`<div data-live>${state}</div>` : state}
        ${
          isUnderWay
            ? ''
            : found.state === 'complete'
              ? html`<p><a class="button" href="${home}">Show the repository</a></p>`
              : form.view('retry', html`<button type="submit">Try again</button>`, 'line')
        }`,
      refused?.status,
    ),
    ...(isUnderWay
      ? {
          script: liveScript,
          head: html`<noscript
            ><meta http-equiv="refresh" content="${refreshSeconds}"
          /></noscript>`,
        }
      : {}),
  };
}

function stateView(found: RepositoryImport, now: number): Html {
  if (isInterrupted(found, now)) return html`<span class="state bad">✗ Interrupted</span>`;
  switch (found.state) {
    case 'importing':
      return html`<span class="state waiting">◌ Importing</span>`;
    case 'complete':
      return html`<span class="state good">✓ Imported</span>`;
    case 'failed':
      return html`<span class="state bad">✗ Failed</span>`;
  }
}

function detailsView({ message, receivedBytes }: RepositoryImport, isUnderWay: boolean): string {
  const received = `${bytesText(receivedBytes)} ${isUnderWay ? 'received so far' : 'were received'}.`;
  return message === null ? received : `${message} ${received}`;
}

/** Imports again what failed or was interrupted, as the present user. */
export function submitImportRetry(): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, repository, permission, session, ports, urls } = context;
    const imports = context.imports ?? notFound();
    const show = (refused: RefusedForm): Promise<WebResponse> => showImport(context, refused);
    if (!atLeast(permission, 'write')) return notFound();
    return refusedAct({ name: 'retry', form, show }, async () => {
      const found = await ports.database.read((sql) => findImport(sql, repository.id));
      const { url } = found ?? notFound();
      await imports.reserve({ url, accountId: session.account.id }, (reserved) =>
        reserved.start(repository.id),
      );
      return seeOther(`${urls.repositoryHtml(fullName(repository))}/import`);
    });
  };
}
