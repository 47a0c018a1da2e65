import { button, selectField, textArea, textField } from '#web/fields.ts';
import { counted, html, pageLinks } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { loadVisibleOrganization } from '../../accounts/organization-access.ts';
import { notFound } from '../../errors/api-error.ts';
import { readPage } from '../../http/pagination.ts';
import { teamNameCharactersMax } from '../../model/team.ts';
import { listTeams } from '../../teams/team-store.ts';
import { organizationPath } from '../kit/page-paths.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { accountHead, organizationTabs } from '../parts/account-views.ts';
import { answerAct, textIn, textOf, unknownAct } from './discussion-acts.ts';

/** Who sees a team. */
export const privacies = [
  { value: 'closed', label: 'Closed: all members of the organization see it' },
  { value: 'secret', label: 'Secret: its members and the owners see it' },
] as const;

/** The teams of an organization that the viewer may see, and a form for a new one. */
export async function showTeams(
  context: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, caller, path, session, query } = context;
  const bounds = readPage(query);
  const { organization, role, teams, total } = await ports.database.read(async (sql) => {
    const seen = await loadVisibleOrganization(sql, caller, path['org'] ?? '');
    if (seen.role === undefined) return notFound();
    const viewer = { id: session.account.id, seesSecret: seen.role === 'admin' };
    return { ...seen, ...(await listTeams(sql, seen.organization.id, viewer, bounds)) };
  });
  const pageUrl = `${organizationPath(organization.login)}/teams`;
  const form = createPageForm(pageUrl, session.secret, refused);
  return formPage(
    `Teams · ${organization.login}`,
    html`${accountHead(organization, context)} ${organizationTabs(organization, role, context)}
      <h2>Teams</h2>
      ${
        teams.length === 0
          ? html`<p class="empty">No teams yet. Create the first one below.</p>`
          : html`<ul class="rows">
              ${teams.map(
                (team) =>
                  html`<li>
                    <a class="grow" href="${pageUrl}/${team.slug}">${team.name}</a>
                    <span class="mark">${team.privacy}</span>
                    <span>${counted(team.members, 'member')}</span>
                    <span>${counted(team.repositories, 'repository', 'repositories')}</span>
                  </li>`,
              )}
            </ul>`
      }
      ${pageLinks(pageUrl, bounds, bounds.offset + bounds.size < total)}
      <h2>New team</h2>
      ${form.view(
        'create',
        html`${textField({
          label: 'Name',
          name: 'name',
          value: form.value('name'),
          maxLength: teamNameCharactersMax,
          required: true,
          prose: true,
        })}
        ${textArea({
          label: 'Description',
          name: 'description',
          value: form.value('description'),
          rows: 2,
          prose: true,
        })}
        ${selectField({
          label: 'Visibility',
          name: 'privacy',
          value: form.value('privacy', 'closed'),
          options: privacies,
        })}
        ${button('Create team', 'primary')}`,
      )}`,
    refused?.status,
  );
}

export function submitNewTeam(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { form, path } = context;
    const org = path['org'] ?? '';
    return answerAct(context, showTeams, async (name) => {
      if (name !== 'create') unknownAct();
      const reply = await perform(
        context,
        'teams/create',
        { org },
        {
          name: (form.get('name') ?? '').trim(),
          description: textOf(form, 'description') || null,
          privacy: form.get('privacy') ?? 'closed',
        },
      );
      const slug = reply.kind === 'json' ? textIn(reply.body, 'slug') : undefined;
      if (slug === undefined) throw new Error('a created team has no slug');
      return `${organizationPath(org)}/teams/${slug}`;
    });
  };
}
