import { memberRole } from '../../accounts/account-store.ts';
import { organizationsOf } from '../../accounts/membership-store.ts';
import { selectField, textField } from '#web/fields.ts';
import { hidden, problemView, tokenFor } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import { formPage, seeOther, type WebResponse } from '#web/web-response.ts';
import type { RefusedForm } from '#web/page-form.ts';
import { importPath, newRepositoryPath } from '../kit/page-paths.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { visibilityFields } from '../parts/visibility-fields.ts';
import { numberIn, refusedAct, textIn } from './discussion-acts.ts';

export { newRepositoryPath } from '../kit/page-paths.ts';

/** Organizations that the form for a repository offers. */
const ownersMax = 100;

/** The form for a new repository of the user, or of an organization that the user owns. */
export async function showNewRepository(
  context: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { session } = context;
  const owners = await ownersFor(context);
  const value = (field: string): string => refused?.fields.get(field) ?? '';
  const isPrivate = refused?.fields.get('visibility') === 'private';
  return formPage(
    'New repository',
    html`<h1>New repository</h1>
      <p>
        There is one on another server already? <a href="${importPath}">Import a repository</a>.
      </p>
      <form class="fields" method="post" action="${newRepositoryPath}">
        ${tokenFor(session.secret)} ${problemView(refused?.problem)}
        ${ownerAndNameFields(owners, value)}
        ${textField({
          label: 'Description',
          name: 'description',
          value: value('description'),
          prose: true,
        })}
        ${visibilityFields(isPrivate)}
        <label
          ><input type="checkbox" name="auto_init" value="1" /> Begin with a README in a first
          commit</label
        >
        <button class="primary" type="submit">Create repository</button>
      </form>`,
    refused?.status,
  );
}

/** Whose a new repository is, and its name. `owners` begin with the user. */
export function ownerAndNameFields(
  owners: readonly string[],
  value: (field: string) => string,
): Html {
  const [user] = owners;
  return html`${
    owners.length === 1 && user
      ? hidden('owner', user)
      : selectField({ label: 'Owner', name: 'owner', value: value('owner'), options: owners })
  }
  ${textField({
    label: 'Name',
    name: 'name',
    value: value('name'),
    maxLength: 100,
    required: true,
  })}`;
}

/** Creates the repository, and leads to it. */
export function submitNewRepository(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { form, urls } = context;
    const show = (refused: RefusedForm): Promise<WebResponse> =>
      showNewRepository(context, refused);
    return refusedAct({ name: 'create', form, show }, async () => {
      const { name } = await createFrom(perform, context);
      return seeOther(urls.repositoryHtml(name));
    });
  };
}

/** The accounts that the user may choose as owners. */
export function ownersFor({ ports, session }: WebContext & SignedIn): Promise<readonly string[]> {
  const { account } = session;
  return ports.database.read(async (sql) => {
    const bounds = { offset: 0, size: ownersMax };
    const { organizations } = await organizationsOf(sql, account.id, account.id, bounds);
    const owned: string[] = [account.login];
    for (const { id, login } of organizations) {
      if ((await memberRole(sql, id, account.id)) === 'admin') owned.push(login);
    }
    return owned;
  });
}

/** Creates the repository that a form describes; `name` is its full name. */
export async function createFrom(
  perform: Perform,
  context: FormContext & SignedIn,
): Promise<{ readonly id: number; readonly name: string }> {
  const { form, session } = context;
  const owner = form.get('owner') ?? session.account.login;
  const own = owner.toLowerCase() === session.account.login.toLowerCase();
  const description = form.get('description') ?? '';
  const body = {
    name: (form.get('name') ?? '').trim(),
    description: description === '' ? null : description,
    private: form.get('visibility') === 'private',
    auto_init: form.has('auto_init'),
  };
  const reply = own
    ? await perform(context, 'repos/create-for-authenticated-user', {}, body)
    : await perform(context, 'repos/create-in-org', { org: owner }, body);
  const created = reply.kind === 'json' ? reply.body : undefined;
  const [id, name] = [numberIn(created, 'id'), textIn(created, 'full_name')];
  if (id === undefined || name === undefined) throw new Error('a created repository has no name');
  return { id, name };
}
