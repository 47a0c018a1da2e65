import type { FastifyContextConfig } from 'fastify';

import { openToFunctions } from '#platform/function-caller.ts';
import type { PasswordSignIn } from '../auth/password-sign-in.ts';
import type { DeviceCodeThrottle } from '../auth/applications/device-code-throttle.ts';
import type { Endpoint } from '../routing/endpoint.ts';
import { notFound } from '../errors/api-error.ts';
import {
  devicePath,
  explorePath,
  homePath,
  importPath,
  accountSegment,
  followsPath,
  inboxPath,
  invitationsPath,
} from './kit/page-paths.ts';
import { showAccount, submitFollow } from './pages/account.ts';
import { administrationForms, administrationRoutes } from './pages/administration-table.ts';
import {
  appPath,
  installationsPath,
  installPath,
  newAppPath,
  newOrganizationAppPath,
  showApp,
  showInstall,
  showInstallations,
  showNewApp,
  submitInstallation,
  uninstall,
} from './pages/apps.ts';
import { applicationsPath, revokeApplication, showApplications } from './pages/applications.ts';
import { showDeviceForm, submitDeviceCode, submitDeviceConsent } from './pages/device.ts';
import { authorizePath, showConsent, submitConsent } from './pages/authorize.ts';
import { downloadArchive } from './pages/archive.ts';
import { showAvatar } from './pages/avatar.ts';
import { showBlame } from './pages/blame.ts';
import { showBlob, showRaw } from './pages/blob.ts';
import { showCommit } from './pages/commit.ts';
import { chooseComparison, showComparison, submitNewPull } from './pages/compare.ts';
import { docsPages } from './pages/docs.ts';
import { showExplore } from './pages/explore.ts';
import { feedPages } from './pages/feeds.ts';
import { goImportPath, showGoImport } from './pages/go-import.ts';
import { showHome } from './pages/home.ts';
import { showCollaborators, submitCollaboratorAct } from './pages/collaborators.ts';
import { imagesPath } from '../http/images/image-url.ts';
import { showImage } from './pages/image.ts';
import { showNewImport, submitNewImport } from './pages/import.ts';
import { leadToMilestone } from './pages/milestones.ts';
import { showInbox, submitRead } from './pages/inbox.ts';
import { answerInvitation, leadToInvitations, showInvitations } from './pages/invitations.ts';
import { showIssue, issueActs, submitIssueAct } from './pages/issue.ts';
import { showIssues, showNewIssue, submitNewIssue } from './pages/issues.ts';
import type { ActContext, UploadContext } from './pages/discussion-acts.ts';
import { pullActs, submitPullAct } from './pages/pull-acts.ts';
import { showPull } from './pages/pull.ts';
import { actRoutes, type FormHandler } from './kit/forms.ts';
import { type Perform } from './kit/perform.ts';
import { showPulls } from './pages/pulls.ts';
import {
  downloadAsset,
  downloadLatestAsset,
  leadToLatestRelease,
  showRelease,
  showReleases,
} from './pages/releases.ts';
import {
  newRepositoryPath,
  showNewRepository,
  submitNewRepository,
} from './pages/new-repository.ts';
import { repositoryForms, repositoryPages, repositoryUploads } from './pages/repository-table.ts';
import { showRepository } from './pages/repository.ts';
import { searchPath, showSearch } from './pages/search.ts';
import { settingsForms, settingsPages } from './pages/settings-table.ts';
import {
  codePath,
  showCodeForm,
  showSignIn,
  submitSignInCode,
  submitPassword,
  signOut,
} from './pages/sign-in.ts';
import {
  createdTokenPath,
  endToken,
  submitNewToken,
  showCreatedToken,
  showTokens,
  tokensPath,
} from './pages/tokens.ts';
import { organizationForms, organizationPages } from './pages/organization-table.ts';
import { showTree } from './pages/tree.ts';
import type { UploadRoute } from './register-uploads.ts';
import type { FileResponse, WebResponse } from '#web/web-response.ts';
import { showKeysAsText } from './pages/ssh-keys.ts';
import {
  loadRepositoryContext,
  type FormContext,
  type RepositoryContext,
  type WebContext,
} from './kit/web-context.ts';
import {
  formWithSession,
  formWithSiteAdmin,
  type SignedIn,
  withSession,
  withSiteAdmin,
} from './kit/with-session.ts';
import { loginPath } from './kit/login-path.ts';

type Handler = (context: WebContext) => Promise<WebResponse | FileResponse>;
type Route = readonly [path: string, handler: Handler, config?: FastifyContextConfig];

/** The pages, by their paths. */
export function routes(endpoints: readonly Endpoint[]): readonly Route[] {
  const docs = docsPages(endpoints);
  const account = `/${accountSegment}`;
  const repository = `${account}/:repo`;
  return [
    [homePath, showHome],
    [explorePath, showExplore],
    [searchPath, showSearch],
    [`${goImportPath}/:owner/:repo`, showGoImport],
    ['/docs', docs.index],
    ['/docs/rest', docs.index],
    ['/docs/rest/*', docs.chapter],
    ['/avatars/u/:id', showAvatar],
    [`${imagesPath}/:signature/:encoded`, showImage],
    ['/login', showSignIn],
    [codePath, showCodeForm],
    [authorizePath, showConsent],
    [devicePath, withSession(showDeviceForm)],
    // Reloading the page of a refused sign-in.
    ['/session', async () => ({ kind: 'redirect', location: '/login' })],
    ['/settings', async () => ({ kind: 'redirect', location: tokensPath })],
    ...settingsPages.map(([path, show]): Route => [path, withSession(show)]),
    [tokensPath, withSession(showTokens)],
    [`${account}.keys`, showKeysAsText],
    ...feedPages,
    [createdTokenPath, withSession(showCreatedToken)],
    [applicationsPath, withSession(showApplications)],
    [newAppPath, withSession(showNewApp)],
    [newOrganizationAppPath, withSession(showNewApp)],
    [installationsPath, withSession(showInstallations)],
    [appPath, showApp],
    [installPath, withSession(showInstall)],
    [account, showAccount],
    [repository, inRepository(showRepository)],
    [`${repository}/tree/*`, inRepository(showTree)],
    [`${repository}/blob/*`, inRepository(showBlob)],
    [`${repository}/blame/*`, inRepository(showBlame)],
    // `download_url` of the API leads there.
    [`${repository}/raw/*`, inRepository(showRaw), openToFunctions],
    [`${repository}/archive/*`, inRepository(downloadArchive), openToFunctions],
    [`${repository}/commit/:revision`, inRepository(showCommit)],
    [`${repository}/compare`, inRepository(chooseComparison)],
    [`${repository}/compare/*`, inRepository((context) => showComparison(context))],
    [`${repository}/releases`, inRepository(showReleases)],
    [`${repository}/releases/latest`, inRepository(leadToLatestRelease)],
    [`${repository}/releases/tag/*`, inRepository(showRelease)],
    // `browser_download_url` of the API leads there.
    [`${repository}/releases/download/*`, inRepository(downloadAsset), openToFunctions],
    [
      `${repository}/releases/latest/download/:name`,
      inRepository(downloadLatestAsset),
      openToFunctions,
    ],
    [`${repository}/pulls`, inRepository(showPulls)],
    [`${repository}/pull/:number`, inRepository((context) => showPull(context))],
    [`${repository}/pull/:number/commits`, inRepository((context) => showPull(context))],
    [`${repository}/pull/:number/files`, inRepository((context) => showPull(context))],
    [`${repository}/invitations`, leadToInvitations],
    [invitationsPath, withSession(showInvitations)],
    ...administrationRoutes.map(([path, show]): Route => [path, withSiteAdmin(show)]),
    ...organizationPages.map(([path, show]): Route => [path, withSession(show)]),
    [inboxPath, withSession(showInbox)],
    [`${repository}/issues`, inRepository(showIssues)],
    [`${repository}/issues/new`, inRepository(inSession(showNewIssue))],
    [`${repository}/issues/:number`, inRepository((context) => showIssue(context))],
    [`${repository}/milestone/:number`, inRepository(leadToMilestone)],
    [`${repository}/collaborators`, inRepository(inSession(showCollaborators))],
    [newRepositoryPath, withSession((context) => showNewRepository(context))],
    [importPath, withSession((context) => showNewImport(context))],
    ...repositoryPages.map(([path, page]): Route => [
      `${repository}/${path}`,
      inRepository('show' in page ? page.show : inSession(page.showSignedIn)),
    ]),
  ];
}

/** The targets of forms. Every handler checks the form token first, by the `session` cookie or, before sign-in, by the `visit` cookie. */
export function formRoutes(
  passwords: PasswordSignIn,
  perform: Perform,
  deviceCodes: DeviceCodeThrottle,
): readonly (readonly [string, FormHandler])[] {
  const repository = `/${accountSegment}/:repo`;
  const [onIssues, onPulls] = [issueActs(perform), pullActs(perform)];
  return [
    ['/session', submitPassword(passwords)],
    [codePath, submitSignInCode(passwords)],
    ['/logout', formWithSession(signOut)],
    ...actRoutes(
      [`${repository}/pull/:number`, Object.keys(onPulls), submitPullAct(onPulls)],
      formInRepository,
    ),
    [`${repository}/pulls`, formInRepository(submitNewPull(perform))],
    [`${repository}/issues`, formInRepository(submitNewIssue(perform))],
    ...actRoutes(
      [`${repository}/issues/:number`, Object.keys(onIssues), submitIssueAct(onIssues)],
      formInRepository,
    ),
    ...actRoutes(
      [
        `${repository}/collaborators`,
        ['invite', 'remove', 'cancel'],
        submitCollaboratorAct(perform),
      ],
      formInRepository,
    ),
    [
      `${invitationsPath}/:id/accept`,
      formWithSession(answerInvitation(perform, 'repos/accept-invitation')),
    ],
    [
      `${invitationsPath}/:id/decline`,
      formWithSession(answerInvitation(perform, 'repos/decline-invitation')),
    ],
    [newRepositoryPath, formWithSession(submitNewRepository(perform))],
    [importPath, formWithSession(submitNewImport(perform))],
    ...repositoryForms(perform).flatMap(([path, acts, take]) =>
      actRoutes([`${repository}/${path}`, acts, take], formInRepository),
    ),
    ...administrationForms(perform).flatMap((forms) => actRoutes(forms, formWithSiteAdmin)),
    ...organizationForms(perform).flatMap((forms) => actRoutes(forms, formWithSession)),
    ...actRoutes([followsPath, ['add', 'remove'], submitFollow(perform)], formWithSession),
    [inboxPath, formWithSession(submitRead(perform))],
    [`${inboxPath}/:id/read`, formWithSession(submitRead(perform))],
    [authorizePath, formWithSession(submitConsent)],
    [devicePath, formWithSession(submitDeviceCode(deviceCodes))],
    [`${devicePath}/authorize`, formWithSession(submitDeviceConsent(deviceCodes))],
    ...settingsForms(passwords, perform).flatMap((forms) => actRoutes(forms, formWithSession)),
    [tokensPath, formWithSession(submitNewToken)],
    [`${tokensPath}/:id/delete`, formWithSession(endToken)],
    [installPath, formWithSession(submitInstallation)],
    [`${installationsPath}/:id/delete`, formWithSession(uninstall)],
    [`${applicationsPath}/:id/revoke`, formWithSession(revokeApplication)],
  ];
}

/** The targets of forms with files, all of repositories. */
export function uploadRoutes(perform: Perform): readonly UploadRoute[] {
  return repositoryUploads(perform).map(([path, take]) => [
    `/${accountSegment}/:repo/${path}`,
    (context, uploads) =>
      formInRepository((entered: ActContext) =>
        take({ ...entered, uploads } satisfies UploadContext),
      )(context),
  ]);
}

/** A page of a repository for signed-in users. */
function inSession(
  handler: (context: RepositoryContext & SignedIn) => Promise<WebResponse>,
): (context: RepositoryContext) => Promise<WebResponse> {
  return async (context) => {
    const { session } = context;
    if (session) return handler({ ...context, session });
    return { kind: 'redirect', location: loginPath(context.pageUrl) };
  };
}

/** A form on a page of a repository: who may not read it learns nothing of it. */
function formInRepository(
  handler: (context: ActContext) => Promise<WebResponse>,
): (context: FormContext) => Promise<WebResponse> {
  return formWithSession(async (context) => {
    const entered = await loadRepositoryContext(context);
    if ('movedTo' in entered) return notFound();
    const { repository, permission, git, openPulls } = entered;
    return handler({ ...context, repository, permission, git, openPulls });
  });
}

function inRepository(
  handler: (context: RepositoryContext) => Promise<WebResponse | FileResponse>,
): Handler {
  return async (context) => {
    const entered = await loadRepositoryContext(context);
    if (!('movedTo' in entered)) return handler(entered);
    const tail = context.pageUrl.replace(/^\/[^/?]+\/[^/?]+/, '');
    return { kind: 'redirect', location: context.urls.repositoryHtml(entered.movedTo) + tail };
  };
}
