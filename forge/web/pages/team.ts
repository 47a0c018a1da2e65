import { html } from '#web/html.ts';
import { page, type WebResponse } from '#web/web-response.ts';

import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import { permissionsIn } from '../../repositories/repository-access.ts';
import { seeTeam } from '../../teams/team-access.ts';
import { listTeamMembers } from '../../teams/team-member-store.ts';
import { repositoriesOfTeam } from '../../teams/team-repository-store.ts';
import type { WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';

/** Of members and of repositories. */
const bounds = { offset: 0, size: 100 };

/** A team with its members, and those of its repositories that the viewer may read. */
export async function showTeam(context: WebContext & SignedIn): Promise<WebResponse> {
  const { ports, caller, path, urls } = context;
  const { team, members, grants } = await ports.database.read(async (sql) => {
    const at = { org: path['org'] ?? '', team_slug: path['team'] ?? '' };
    const seen = await seeTeam(sql, caller, at);
    const given = await repositoriesOfTeam(sql, seen.team.id, bounds);
    const ids = given.grants.map(({ repository }) => repository.id);
    const permissions = await permissionsIn(sql, caller, ids);
    return {
      team: seen.team,
      members: (await listTeamMembers(sql, seen.team.id, undefined, bounds)).members,
      grants: given.grants.filter(({ repository }) =>
        atLeast(permissions.get(repository.id) ?? 'none', 'read'),
      ),
    };
  });
  const organization = team.organization.login;
  return page(
    `${organization}/${team.slug}`,
    html`<h1>${team.name}</h1>
      <p><a href="${urls.userHtml(organization)}">${organization}</a></p>
      <p class="marks"><span class="mark">${team.privacy}</span></p>
      ${team.description === null ? '' : html`<p>${team.description}</p>`}
      <h2>Members</h2>
      ${
        members.length === 0
          ? html`<p class="empty">This team has no members yet.</p>`
          : html`<ul class="rows">
              ${members.map(
                ({ login }) => html`<li><a href="${urls.userHtml(login)}">${login}</a></li>`,
              )}
            </ul>`
      }
      <h2>Repositories</h2>
      ${
        grants.length === 0
          ? html`<p class="empty">No repository that you may read is given to this team.</p>`
          : html`<ul class="rows">
              ${grants.map(
                ({ repository, permission }) =>
                  html`<li>
                    <a class="grow" href="${urls.repositoryHtml(fullName(repository))}"
                      >${fullName(repository)}</a
                    >
                    <span class="mark">${permission}</span>
                  </li>`,
              )}
            </ul>`
      }`,
  );
}
