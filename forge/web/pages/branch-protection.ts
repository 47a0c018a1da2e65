import { accountsById } from '../../accounts/account-store.ts';
import { installationOnAccount } from '../../auth/apps/installation-store.ts';
import { type BranchProtection, contextsOf } from '../../branches/protection-rules.ts';
import { findRules, listRules } from '../../branches/protection-store.ts';
import { refuse } from '../../errors/api-error.ts';
import type { RequiredContext } from '../../model/check-run.ts';
import { fullName } from '../../model/repository.ts';
import { teamsById } from '../../teams/team-store.ts';
import { textArea, textField } from '#web/fields.ts';
import { asking, checkbox, hidden } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { pathIn, requireAdmin, settingsNav } from '../parts/settings-nav.ts';
import { type ActContext, answerAct, namesOfField, unknownAct } from './discussion-acts.ts';

/** The protected branches, and the way to protect another. */
export async function showProtections(context: RepositoryContext & SignedIn): Promise<WebResponse> {
  requireAdmin(context);
  const { ports, repository, git, query } = context;
  const asked = query.get('branch')?.trim() ?? '';
  if (asked !== '') return { kind: 'redirect', location: pathOf(context, asked) };
  const rules = await ports.database.read((sql) => listRules(sql, repository.id));
  const refs = await git.listRefs('refs/heads/');
  return formPage(
    `Branch protection · ${fullName(repository)}`,
    html`${repositoryHead(context)} ${settingsNav(context)}
      <h2>Protected branches</h2>
      ${
        rules.length === 0
          ? html`<p class="empty">No branch is protected. Choose one below.</p>`
          : html`<ul class="rows">
              ${rules.map(
                ({ branch }) =>
                  html`<li>
                    <a class="grow" href="${pathOf(context, branch)}">${branch}</a>
                  </li>`,
              )}
            </ul>`
      }
      <h2>Protect a branch</h2>
      <form class="line" method="get" action="${pathIn(context, 'settings/branches')}">
        ${textField({
          label: 'Branch',
          name: 'branch',
          value: refs.length === 0 ? '' : repository.defaultBranch,
          required: true,
        })}
        <button type="submit">Set its rules</button>
      </form>`,
  );
}

/** The rules of one branch. */
export async function showProtection(
  context: RepositoryContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  requireAdmin(context);
  const { ports, repository, session, path } = context;
  const branch = refused?.fields.get('branch') ?? path['*'] ?? '';
  const { rules, pushers } = await ports.database.read(async (sql) => {
    const found = await findRules(sql, repository.id, branch);
    const users = await accountsById(sql, found?.pushers?.users ?? []);
    const teams = await teamsById(sql, found?.pushers?.teams ?? []);
    return {
      rules: found,
      pushers: {
        users: [...users.values()].map(({ login }) => login),
        teams: teams.map(({ slug }) => slug),
      },
    };
  });
  const pageUrl = pathIn(context, 'settings/branch-protection');
  const form = createPageForm(pageUrl, session.secret, refused);
  return formPage(
    `Rules of ${branch} · ${fullName(repository)}`,
    html`${repositoryHead(context)} ${settingsNav(context)}
      <h2>Rules of <code>${branch}</code></h2>
      ${rulesForm(form, branch, {
        rules,
        pushers,
        inOrganization: repository.owner.kind === 'organization',
      })}
      ${
        rules
          ? asking(
              'Remove the protection',
              form.view(
                'remove',
                html`${hidden('branch', branch)}
                  <p>Everybody with write access can then push to it and delete it.</p>
                  <button class="danger" type="submit">Remove the protection</button>`,
              ),
            )
          : ''
      }`,
    refused?.status,
  );
}

interface PresentRules {
  readonly rules: BranchProtection | undefined;
  readonly pushers: { readonly users: readonly string[]; readonly teams: readonly string[] };
  /** Only there the API takes who may push. */
  readonly inOrganization: boolean;
}

function rulesForm(
  form: PageForm,
  branch: string,
  { rules, pushers, inOrganization }: PresentRules,
): Html {
  const contexts = contextsOf(rules?.statusChecks?.checks ?? []).join('\n');
  const approvals = rules?.reviews?.approvals ?? 1;
  const box = (field: string, present: boolean, label: string): Html =>
    checkbox(field, '1', form.checked(field, '1', present), label);
  return form.view(
    'save',
    html`${hidden('branch', branch)}
      <fieldset>
        <legend>Pull requests</legend>
        ${box('reviews', rules?.reviews !== undefined, 'Require approvals before a merge')}
        ${textField({
          label: 'How many approvals',
          name: 'approvals',
          value: form.value('approvals', String(approvals)),
          type: 'number',
        })}
        ${box('stale', rules?.reviews?.dismissStale ?? false, 'Approvals count for the present head only')}
      </fieldset>
      <fieldset>
        <legend>Checks</legend>
        ${box('checks', rules?.statusChecks !== undefined, 'Require checks before a merge')}
        ${textArea({
          label: 'Their names, one a line',
          name: 'contexts',
          value: form.value('contexts', contexts),
        })}
        ${box('strict', rules?.statusChecks?.strict ?? false, 'Branches must have all commits of the base')}
      </fieldset>
      ${inOrganization ? pushersFields() : ''}
      <fieldset>
        <legend>Also</legend>
        ${box('admins', rules?.enforceAdmins ?? false, 'The rules hold for administrators as well')}
        ${box('force', rules?.allowForcePushes ?? false, 'Allow forced pushes')}
        ${box('deletions', rules?.allowDeletions ?? false, 'Allow to delete the branch')}
      </fieldset>
      <button class="primary" type="submit">Save the rules</button>`,
  );

  function pushersFields(): Html {
    return html`<fieldset>
      <legend>Who may push</legend>
      ${box('restrict', rules?.pushers !== undefined, 'Only these people and teams may push')}
      ${textField({
        label: 'Logins, separated by commas',
        name: 'users',
        value: form.value('users', pushers.users.join(', ')),
      })}
      ${textField({
        label: 'Teams, separated by commas',
        name: 'teams',
        value: form.value('teams', pushers.teams.join(', ')),
      })}
    </fieldset>`;
  }
}

/** Saves or removes the rules of a branch. */
export function submitProtection(perform: Perform): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    requireAdmin(context);
    const { form, ports, repository } = context;
    const branch = form.get('branch') ?? '';
    const at = { owner: repository.owner.login, repo: repository.name, branch };
    return answerAct(context, showProtection, async (name) => {
      if (name === 'save') {
        const present = await ports.database.read((sql) => findRules(sql, repository.id, branch));
        const bound = boundChecks(form, present?.statusChecks?.checks ?? []);
        await refuseUninstalled(context, bound);
        const rules = rulesOf(form, bound);
        await perform(context, 'repos/update-branch-protection', at, rules);
        return pathOf(context, branch);
      }
      if (name !== 'remove') unknownAct();
      await perform(context, 'repos/delete-branch-protection', at);
      return pathIn(context, 'settings/branches');
    });
  };
}

interface BoundCheck {
  readonly context: string;
  readonly app_id: number;
}

/** The form has no field for the App that must report a check: it stays as it is. */
function boundChecks(form: URLSearchParams, present: readonly RequiredContext[]): BoundCheck[] {
  const contexts = new Set(contextsIn(form));
  return present.flatMap(({ context, appId }) =>
    appId !== null && contexts.has(context) ? [{ context, app_id: appId }] : [],
  );
}

function contextsIn(form: URLSearchParams): string[] {
  return (form.get('contexts') ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The API names the App by its id, which the page does not show. */
async function refuseUninstalled(
  { ports, repository, form }: ActContext,
  checks: readonly BoundCheck[],
): Promise<void> {
  if (!form.has('checks')) return;
  const lost = await ports.database.read(async (sql) => {
    for (const check of checks) {
      if (!(await installationOnAccount(sql, check.app_id, repository.owner.id))) return check;
    }
    return undefined;
  });
  if (!lost) return;
  refuse({
    kind: 'unprocessable',
    message: `The App that must report the check ${lost.context} is not installed any more, so nothing was saved. Install it again, or remove the check and save; added again after that, any reporter will do.`,
  });
}

function rulesOf(
  form: URLSearchParams,
  checks: readonly BoundCheck[],
): Readonly<Record<string, unknown>> {
  return {
    required_pull_request_reviews: form.has('reviews')
      ? {
          required_approving_review_count: Number(form.get('approvals')),
          dismiss_stale_reviews: form.has('stale'),
        }
      : null,
    required_status_checks: form.has('checks')
      ? { strict: form.has('strict'), contexts: contextsIn(form), checks }
      : null,
    restrictions: form.has('restrict')
      ? { users: namesOfField(form, 'users'), teams: namesOfField(form, 'teams') }
      : null,
    enforce_admins: form.has('admins'),
    allow_force_pushes: form.has('force'),
    allow_deletions: form.has('deletions'),
  };
}

function pathOf(context: RepositoryContext, branch: string): string {
  const path = branch.split('/').map(encodeURIComponent).join('/');
  return pathIn(context, `settings/branches/${path}`);
}
