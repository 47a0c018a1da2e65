import { button, selectField, textField } from '#web/fields.ts';
import { asking, hidden, problemView } from '#web/form.ts';
import { html, type Html, pageLinks } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { createOrganization } from '../../accounts/create-organization.ts';
import { listMembers, memberRoles } from '../../accounts/membership-store.ts';
import { loadVisibleOrganization } from '../../accounts/organization-access.ts';
import { notFound } from '../../errors/api-error.ts';
import { readPage } from '../../http/pagination.ts';
import type { Account, OrganizationRole } from '../../model/account.ts';
import { newOrganizationPath, organizationPath } from '../kit/page-paths.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { accountHead, accountLink, organizationTabs } from '../parts/account-views.ts';
import { answerAct, unknownAct } from './discussion-acts.ts';
import { profileFields, profileIn } from './profile.ts';

const roles = [
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Owner' },
] as const;

/** The members of an organization, for its members; owners add and remove them and change their roles. */
export async function showPeople(
  context: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, caller, path, urls, session, query } = context;
  const bounds = readPage(query);
  const found = await ports.database.read(async (sql) => {
    const { organization, role } = await loadVisibleOrganization(sql, caller, path['org'] ?? '');
    if (role === undefined) return notFound();
    const { members, total } = await listMembers(sql, organization.id, undefined, bounds);
    const ids = members.map(({ id }) => id);
    return {
      organization,
      role,
      members,
      total,
      rolesById: await memberRoles(sql, organization.id, ids),
    };
  });
  const { organization, role, members, total, rolesById } = found;
  const pageUrl = `${organizationPath(organization.login)}/people`;
  const form = createPageForm(pageUrl, session.secret, refused);
  const row = (member: Account): Html => {
    const present = rolesById.get(member.id) ?? 'member';
    const own = member.id === session.account.id;
    return html`<li>
      ${accountLink(member, urls)}
      <span class="mark">${present === 'admin' ? 'owner' : 'member'}</span>
      ${role === 'admin' ? roleForm(form, member.login, present) : ''}
      ${role === 'admin' || own ? removeForm(form, member.login, own) : ''}
    </li>`;
  };
  const added = form.view(
    'set',
    html`${textField({
      label: 'Login',
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
    ${button('Add member', 'primary')}`,
  );
  return formPage(
    `People · ${organization.login}`,
    html`${accountHead(organization, context)} ${organizationTabs(organization, role, context)}
      <h2>People</h2>
      ${role === 'admin' ? '' : problemView(form.problemLeft())}
      ${refused?.act === 'remove' ? problemView(refused.problem) : ''}
      <ul class="rows">
        ${members.map(row)}
      </ul>
      ${pageLinks(pageUrl, bounds, bounds.offset + bounds.size < total)}
      ${
        role === 'admin'
          ? html`<h2>Add a member</h2>
              ${added}`
          : ''
      }`,
    refused?.status,
  );
}

function roleForm(form: PageForm, login: string, present: OrganizationRole): Html {
  const next = present === 'admin' ? 'member' : 'admin';
  const label = next === 'admin' ? 'Make owner' : 'Make member';
  return form.row(
    'set',
    html`${hidden('username', login)} ${hidden('role', next)} ${button(label, '', login)}`,
  );
}

function removeForm(form: PageForm, login: string, own: boolean): Html {
  return asking(
    own ? 'Leave' : 'Remove',
    form.row(
      'remove',
      html`${hidden('username', login)}
        <p>This ends all access to private repositories of the organization.</p>
        ${button(own ? 'Leave the organization' : 'Remove', 'danger', own ? '' : login)}`,
    ),
  );
}

/** Adds and removes members, and changes their roles. */
export function submitPeopleAct(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { form, path, session } = context;
    const org = path['org'] ?? '';
    return answerAct(context, showPeople, async (name) => {
      const username = (form.get('username') ?? '').trim();
      const at = { org, username };
      if (name === 'set') {
        const role = form.get('role') ?? 'member';
        await perform(context, 'orgs/set-membership-for-user', at, { role });
      } else if (name === 'remove') {
        await perform(context, 'orgs/remove-membership-for-user', at);
        // Who has left sees the page no more.
        if (username.toLowerCase() === session.account.login.toLowerCase()) return `/${org}`;
      } else unknownAct();
      return `${organizationPath(org)}/people`;
    });
  };
}

/** The profile of an organization, for its owners. */
export async function showOrganizationSettings(
  context: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, caller, path, session } = context;
  const { organization, role } = await ports.database.read((sql) =>
    loadVisibleOrganization(sql, caller, path['org'] ?? ''),
  );
  if (role !== 'admin') return notFound();
  const pageUrl = `${organizationPath(organization.login)}/settings`;
  const form = createPageForm(pageUrl, session.secret, refused);
  return formPage(
    `Settings · ${organization.login}`,
    html`${accountHead(organization, context)} ${organizationTabs(organization, role, context)}
      <h2>Profile</h2>
      ${form.view(
        'update',
        html`${textField({
          label: 'E-mail address, which everybody can see',
          name: 'email',
          type: 'email',
          value: form.value('email', organization.email ?? ''),
        })}
        ${profileFields(organization, form)}`,
      )}
      <h2>GitHub Apps</h2>
      <p>
        <a href="/organizations/${organization.login}/settings/apps/new">Create an App</a> that
        belongs to the organization.
      </p>`,
    refused?.status,
  );
}

export function submitOrganizationSettings(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { form, path } = context;
    const org = path['org'] ?? '';
    return answerAct(context, showOrganizationSettings, async (name) => {
      if (name !== 'update') unknownAct();
      await perform(context, 'orgs/update', { org }, profileIn(form));
      return `${organizationPath(org)}/settings`;
    });
  };
}

/** The form for a new organization, which every user may create. */
export async function showNewOrganization(
  { session }: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const form = createPageForm(newOrganizationPath, session.secret, refused);
  return formPage(
    'New organization',
    html`<h1>New organization</h1>
      <p>You become its first owner.</p>
      ${form.view(
        'create',
        html`${textField({
          label: 'Login, which begins the addresses of its repositories',
          name: 'login',
          value: form.value('login'),
          maxLength: 39,
          required: true,
        })}
        ${textField({ label: 'Name', name: 'name', value: form.value('name'), prose: true })}
        ${button('Create organization', 'primary')}`,
      )}`,
    refused?.status,
  );
}

/** Creates an organization of the viewer's, as on GitHub: the operation of the API is for site administrators. */
export function submitNewOrganization(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { ports, form, session } = context;
    return answerAct(context, showNewOrganization, async (name) => {
      if (name !== 'create') unknownAct();
      await perform.countCreation(context);
      const organization = await createOrganization(ports, {
        login: (form.get('login') ?? '').trim(),
        ownerLogin: session.account.login,
        name: form.get('name') ?? undefined,
      });
      return `${organizationPath(organization.login)}/people`;
    });
  };
}
