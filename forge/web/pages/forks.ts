import { readPage } from '../../http/pagination.ts';
import { fullName } from '../../model/repository.ts';
import { viewerOf } from '../../repositories/repository-filter.ts';
import { listRepositories } from '../../repositories/repository-list-store.ts';
import { textField } from '#web/fields.ts';
import { html, pageLinks } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { repositoryHead, repositoryList } from '../parts/repository-views.ts';
import { pathIn } from '../parts/settings-nav.ts';
import { type ActContext, answerAct, textIn, unknownAct } from './discussion-acts.ts';

/** The forks that the viewer may read, and the form that makes one. */
export async function showForks(
  context: RepositoryContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, repository, caller, query, session } = context;
  const bounds = readPage(query);
  const filter = {
    viewer: viewerOf(caller),
    parentId: repository.id,
    sort: 'created',
    direction: 'desc',
  } as const;
  const { repositories, total } = await ports.database.read((sql) =>
    listRepositories(sql, filter, bounds),
  );
  const pageUrl = pathIn(context, 'forks');
  const form = session && createPageForm(pageUrl, session.secret, refused);
  return formPage(
    `Forks · ${fullName(repository)}`,
    html`${repositoryHead(context)}
      <h2>Forks</h2>
      ${
        repositories.length === 0
          ? html`<p class="empty">It has no forks yet.</p>`
          : repositoryList(repositories, context)
      }
      ${pageLinks(pageUrl, bounds, bounds.offset + bounds.size < total)}
      ${
        form
          ? form.view(
              'create',
              html`${textField({
                  label: 'Organization, or nothing for your own account',
                  name: 'organization',
                  value: form.value('organization'),
                })} <button class="primary" type="submit">Fork it</button>`,
            )
          : html`<p class="empty">Sign in to fork it.</p>`
      }`,
    refused?.status,
  );
}

/** Makes a fork, and leads to it. */
export function submitFork(perform: Perform): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, repository, urls } = context;
    return answerAct(context, showForks, async (name) => {
      if (name !== 'create') unknownAct();
      const at = { owner: repository.owner.login, repo: repository.name };
      const organization = (form.get('organization') ?? '').trim();
      const body = organization === '' ? {} : { organization };
      const reply = await perform(context, 'repos/create-fork', at, body);
      const fork = reply.kind === 'json' ? textIn(reply.body, 'full_name') : undefined;
      if (fork === undefined) throw new Error('repos/create-fork returned no full_name');
      return urls.repositoryHtml(fork);
    });
  };
}
