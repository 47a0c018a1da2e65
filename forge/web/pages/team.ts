import { button, selectField, textArea, textField } from '#web/fields.ts';
import { asking, hidden, problemView } from '#web/form.ts';
import { html, type Html, pageLinks } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import type { Account } from '../../model/account.ts';
import { readPage } from '../../http/pagination.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import { teamNameCharactersMax, type Team } from '../../model/team.ts';
import { permissionsIn } from '../../repositories/repository-access.ts';
import { loadVisibleTeam } from '../../teams/team-access.ts';
import { listTeamMembers } from '../../teams/team-member-store.ts';
import { type RepositoryGrant, repositoriesOfTeam } from '../../teams/team-repository-store.ts';
import { organizationPath } from '../kit/page-paths.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { accountLink } from '../parts/account-views.ts';
import { answerAct, textIn, textOf, unknownAct } from './discussion-acts.ts';
import { privacies } from './teams.ts';

/** Maintainers, other members and repositories on a page of a team, of each. */
const itemsMax = 100;

const roles = ['member', 'maintainer'] as const;
/** As the API calls them, and as people read them elsewhere on the pages. */
const permissions = [
  { value: 'pull', label: 'Read' },
  { value: 'triage', label: 'Triage' },
  { value: 'push', label: 'Write' },
  { value: 'maintain', label: 'Maintain' },
  { value: 'admin', label: 'Admin' },
] as const;

/** A team with its members, and those of its repositories that the viewer may read; its maintainers change it. */
export async function showTeam(
  context: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, caller, path, urls, session, query } = context;
  const bounds = readPage(query, itemsMax, true);
  const { team, maintains, maintainers, members, grants, total } = await ports.database.read(
    async (sql) => {
      const at = { org: path['org'] ?? '', team_slug: path['team'] ?? '' };
      const seen = await loadVisibleTeam(sql, caller, at);
      const given = await repositoriesOfTeam(sql, seen.team.id, bounds);
      const ids = given.grants.map(({ repository }) => repository.id);
      const own = await permissionsIn(sql, caller, ids);
      const maintaining = await listTeamMembers(sql, seen.team.id, 'maintainer', bounds);
      const others = await listTeamMembers(sql, seen.team.id, 'member', bounds);
      return {
        team: seen.team,
        maintains: seen.maintains,
        maintainers: maintaining.members,
        members: others.members,
        total: Math.max(maintaining.total, others.total, given.total),
        grants: given.grants.filter(({ repository }) =>
          atLeast(own.get(repository.id) ?? 'none', 'read'),
        ),
      };
    },
  );
  const organization = team.organization.login;
  const form = createPageForm(pathOf(team), session.secret, refused);
  const row = (member: Account, role: (typeof roles)[number]): Html =>
    html`<li>
      ${accountLink(member, urls)} <span class="mark">${role}</span>
      ${
        maintains || member.id === session.account.id
          ? form.row(
              'remove-member',
              html`${hidden('username', member.login)} ${button('Remove', '', member.login)}`,
            )
          : ''
      }
    </li>`;
  const body = html`<h1>${team.name}</h1>
    <p>
      <a href="${urls.userHtml(organization)}">${organization}</a> ·
      <a href="${organizationPath(organization)}/teams">All teams</a>
    </p>
    <p class="marks"><span class="mark">${team.privacy}</span></p>
    ${team.description === null ? '' : html`<p>${team.description}</p>`}
    <h2>Members</h2>
    ${
      members.length + maintainers.length === 0
        ? html`<p class="empty">This team has no members yet.</p>`
        : html`<ul class="rows">
            ${maintainers.map((member) => row(member, 'maintainer'))}
            ${members.map((member) => row(member, 'member'))}
          </ul>`
    }
    ${maintains ? memberForm(form) : ''}
    <h2>Repositories</h2>
    ${
      grants.length === 0
        ? html`<p class="empty">No repository that you may read is given to this team.</p>`
        : html`<ul class="rows">
            ${grants.map((grant) => grantRow(grant, form, context))}
          </ul>`
    }
    ${pageLinks(pathOf(team), bounds, bounds.offset + bounds.size < total)}
    ${maintains ? html`${grantForm(form, organization)} ${changeForms(form, team)}` : ''}`;
  const left = form.problemLeft();
  return formPage(
    `${organization}/${team.slug}`,
    html`${problemView(left)} ${body}`,
    refused?.status,
  );
}

function pathOf(team: Team): string {
  return `${organizationPath(team.organization.login)}/teams/${team.slug}`;
}

function grantRow(
  { repository, permission }: RepositoryGrant,
  form: PageForm,
  { urls }: WebContext,
): Html {
  const name = fullName(repository);
  return html`<li>
    <a class="grow" href="${urls.repositoryHtml(name)}">${name}</a>
    <span class="mark">${permission}</span>
    ${form.row(
      'remove-repository',
      html`${hidden('repository', repository.name)} ${button('Remove', '', name)}`,
    )}
  </li>`;
}

function memberForm(form: PageForm): Html {
  return form.view(
    'add-member',
    html`${textField({
      label: 'Login of the member to add',
      name: 'username',
      value: form.value('username'),
      required: true,
    })}
    ${selectField({
      label: 'Role',
      name: 'role',
      value: form.value('role', 'member'),
      options: roles,
    })}
    ${button('Add member')}`,
  );
}

function grantForm(form: PageForm, organization: string): Html {
  return form.view(
    'add-repository',
    html`${textField({
      label: `Name of the repository of ${organization} to add`,
      name: 'repository',
      value: form.value('repository'),
      required: true,
    })}
    ${selectField({
      label: 'Permission',
      name: 'permission',
      value: form.value('permission', 'pull'),
      options: permissions,
    })}
    ${button('Add repository')}`,
  );
}

function changeForms(form: PageForm, team: Team): Html {
  return html`<h2>Settings</h2>
    ${form.view(
      'update',
      html`${textField({
        label: 'Name, from which its address follows',
        name: 'name',
        value: form.value('name', team.name),
        maxLength: teamNameCharactersMax,
        required: true,
        prose: true,
      })}
      ${textArea({
        label: 'Description',
        name: 'description',
        value: form.value('description', team.description ?? ''),
        rows: 2,
        prose: true,
      })}
      ${selectField({
        label: 'Visibility',
        name: 'privacy',
        value: form.value('privacy', team.privacy),
        options: privacies,
      })}
      ${button('Save team', 'primary')}`,
    )}
    ${asking(
      'Delete the team',
      form.row(
        'delete',
        html`<p>Its members lose what it gives them in repositories.</p>
          ${button('Delete it for good', 'danger')}`,
      ),
    )}`;
}

/** Changes a team, its members and its repositories. */
export function submitTeamAct(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { form, path } = context;
    const { org = '', team = '' } = path;
    const at = { org, team_slug: team };
    const username = (form.get('username') ?? '').trim();
    const repository = { ...at, owner: org, repo: (form.get('repository') ?? '').trim() };
    const teams = `${organizationPath(org)}/teams`;
    const acts: Readonly<Record<string, () => Promise<string>>> = {
      async 'add-member'() {
        const body = { role: form.get('role') ?? 'member' };
        const operation = 'teams/add-or-update-membership-for-user-in-org';
        await perform(context, operation, { ...at, username }, body);
        return `${teams}/${team}`;
      },
      async 'remove-member'() {
        const operation = 'teams/remove-membership-for-user-in-org';
        await perform(context, operation, { ...at, username });
        // Who has left a secret team sees it no more.
        return username.toLowerCase() === context.session.account.login.toLowerCase()
          ? teams
          : `${teams}/${team}`;
      },
      async 'add-repository'() {
        const body = { permission: form.get('permission') ?? 'pull' };
        const operation = 'teams/add-or-update-repo-permissions-in-org';
        await perform(context, operation, repository, body);
        return `${teams}/${team}`;
      },
      async 'remove-repository'() {
        await perform(context, 'teams/remove-repo-in-org', repository);
        return `${teams}/${team}`;
      },
      async update() {
        const reply = await perform(context, 'teams/update-in-org', at, {
          name: (form.get('name') ?? '').trim(),
          description: textOf(form, 'description') || null,
          privacy: form.get('privacy') ?? 'closed',
        });
        const slug = reply.kind === 'json' ? textIn(reply.body, 'slug') : undefined;
        return `${teams}/${slug ?? team}`;
      },
      async delete() {
        await perform(context, 'teams/delete-in-org', at);
        return teams;
      },
    };
    return answerAct(context, showTeam, (name) =>
      Object.hasOwn(acts, name) && acts[name] ? acts[name]() : unknownAct(),
    );
  };
}
