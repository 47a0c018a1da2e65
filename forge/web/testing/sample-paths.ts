import {
  accountSegment,
  administrationPath,
  explorePath,
  homePath,
  importPath,
  inboxPath,
  invitationsPath,
  newOrganizationPath,
  newRepositoryPath,
  profilePath,
  teamPath,
} from '../kit/page-paths.ts';
import { imagesPath } from '../../http/images/image-url.ts';
import { timelinePath } from '../pages/feeds.ts';
import type { SeededSite } from './seeded-site.ts';

export interface Sample {
  readonly pageUrl: string;
  /** 200 if absent. */
  readonly status?: number;
  /** Whether it is shown to visitors as well, and differs for them. */
  readonly visitors?: true;
}

/**
 * URLs of each page of the seeded site, by the path in the page table. Paths with none are no pages of their own: files, redirects
 * and what programs read.
 */
export function samplePaths(site: SeededSite): Readonly<Record<string, readonly Sample[]>> {
  const { login, commit, parent } = site;
  const at = `/${site.repository}`;
  const account = `/${accountSegment}`;
  const repository = `${account}/:repo`;
  const only = (...pageUrls: readonly string[]): readonly Sample[] =>
    pageUrls.map((pageUrl) => ({ pageUrl }));
  const open = (...pageUrls: readonly string[]): readonly Sample[] =>
    pageUrls.map((pageUrl) => ({ pageUrl, visitors: true }));
  return {
    [homePath]: open(homePath),
    [explorePath]: open(explorePath, `${explorePath}?sort=created`),
    '/search': open('/search', '/search?q=a', '/search?type=users&q=a').concat(
      only('/search?type=issues&q=is:open', '/search?type=code&q=the', '/search?type=commits&q=a'),
    ),
    '/-/go-import/:owner/:repo': [],
    '/docs': open('/docs'),
    '/docs/rest': [],
    '/docs/rest/*': only('/docs/rest/overview/media-types'),
    '/avatars/u/:id': [],
    [`${imagesPath}/:signature/:encoded`]: [],
    '/login': [{ pageUrl: '/login', visitors: true }],
    '/sessions/two-factor': open('/sessions/two-factor'),
    '/login/oauth/authorize': [],
    '/login/device': only('/login/device'),
    '/session': [],
    '/settings': [],
    '/settings/security': only('/settings/security').concat(
      only('/settings/security?two-factor=set-up'),
    ),
    // Shows what a form has made, and else leads back.
    '/settings/security/codes': [],
    '/settings/tokens': only('/settings/tokens'),
    // Shows what a form has made, and else leads back.
    '/settings/tokens/created': [],
    '/settings/emails': only('/settings/emails'),
    '/settings/keys': only('/settings/keys'),
    // For programs.
    [`${account}.keys`]: [],
    [`${account}.atom`]: [],
    [timelinePath]: [],
    [`${repository}/commits`]: [],
    [`${repository}/commits.atom`]: [],
    [`${repository}/releases.atom`]: [],
    [`${repository}/tags.atom`]: [],
    '/settings/applications': only('/settings/applications'),
    '/settings/apps/new': only('/settings/apps/new'),
    '/organizations/:org/settings/apps/new': only('/organizations/acme/settings/apps/new'),
    '/settings/installations': only('/settings/installations'),
    '/apps/:slug': [],
    '/apps/:slug/installations/new': [],
    [account]: open(`/${login}`, '/acme').concat(
      open(`/${login}?tab=stars`),
      only(`/${login}?tab=followers`, `/${login}?tab=following`, '/grace'),
    ),
    [repository]: [...open(at), ...only('/ada/empty'), ...only('/ada/settled')],
    [`${repository}/tree/*`]: only(`${at}/tree/main/src`),
    [`${repository}/blob/*`]: only(`${at}/blob/main/src/main.ts`).concat(
      only(`${at}/blob/main/README.md`),
      only(`${at}/blob/main/binary.bin`),
      only(`${at}/blob/main/picture.png`),
      only(`${at}/blob/main/values.csv`),
    ),
    [`${repository}/blame/*`]: only(`${at}/blame/main/src/main.ts`).concat(
      only(`${at}/blame/main/picture.png`),
    ),
    [`${repository}/new/*`]: only(`${at}/new/main/src`, '/ada/empty/new/main'),
    [`${repository}/upload/*`]: only(`${at}/upload/main`),
    [`${repository}/edit/*`]: only(`${at}/edit/main/src/main.ts`),
    [`${repository}/delete/*`]: only(`${at}/delete/main/src/main.ts`),
    [`${repository}/raw/*`]: [],
    [`${repository}/archive/*`]: [],
    [`${repository}/commits/*`]: only(`${at}/commits/main`),
    [`${repository}/commit/:revision`]: only(`${at}/commit/${commit}`).concat(
      only(`${at}/commit/${commit}?diff=split`),
      only(`${at}/commit/${site.edit}`, `${at}/commit/${site.edit}?expand=list.txt:25-30`),
      only(`${at}/commit/${site.edit}?diff=split&expand=list.txt:25-30`),
    ),
    [`${repository}/compare`]: only(`${at}/compare`),
    [`${repository}/compare/*`]: only(`${at}/compare/main...${site.branch}`).concat(
      only(`${at}/compare/${parent}...${commit}`),
    ),
    [newRepositoryPath]: only(newRepositoryPath),
    [importPath]: only(importPath),
    [`${repository}/import`]: only('/ada/imported/import'),
    [`${repository}/branches`]: only(`${at}/branches`).concat(only('/ada/empty/branches')),
    [`${repository}/releases`]: open(`${at}/releases`).concat(only('/ada/empty/releases')),
    [`${repository}/releases/new`]: only(`${at}/releases/new`),
    [`${repository}/releases/edit/*`]: only(`${at}/releases/edit/v1`),
    [`${repository}/releases/latest`]: [],
    [`${repository}/releases/tag/*`]: only(`${at}/releases/tag/v1`),
    [`${repository}/releases/download/*`]: [],
    [`${repository}/releases/latest/download/:name`]: [],
    [`${repository}/tags`]: only(`${at}/tags`).concat(only('/ada/empty/tags')),
    [`${repository}/forks`]: open(`${at}/forks`),
    [`${repository}/stargazers`]: open(`${at}/stargazers`),
    [`${repository}/watchers`]: only(`${at}/watchers`),
    [`${repository}/deployments`]: open(`${at}/deployments`),
    [`${repository}/labels`]: open(`${at}/labels`),
    [`${repository}/milestones`]: open(`${at}/milestones`),
    [`${repository}/settings`]: only(`${at}/settings`).concat(only('/ada/settled/settings')),
    [`${repository}/settings/branches`]: only(`${at}/settings/branches`),
    [`${repository}/settings/branches/*`]: only(`${at}/settings/branches/main`),
    [`${repository}/settings/keys`]: only(`${at}/settings/keys`),
    [`${repository}/settings/hooks`]: only(`${at}/settings/hooks`),
    [`${repository}/settings/hooks/:hook`]: only(`${at}/settings/hooks/${site.webhook}`),
    [`${repository}/settings/hooks/:hook/deliveries/:delivery`]: only(
      `${at}/settings/hooks/${site.webhook}/deliveries/${site.delivery}`,
    ),
    [`${repository}/pulls`]: only(`${at}/pulls`),
    [`${repository}/pull/:number`]: [
      ...open(`${at}/pull/3`),
      ...only(`${at}/pull/3?comment=new.md%3AR1#line`),
      ...only(`${at}/pull/3?comment=new.md%3AR1&suggest=1#line`),
      ...only(`${at}/pull/3?diff=split&w=1`),
      ...only(`${at}/pull/4`),
    ],
    [`${repository}/pull/:number/commits`]: [],
    [`${repository}/pull/:number/files`]: [],
    [`${repository}/invitations`]: [],
    [invitationsPath]: only(invitationsPath),
    [administrationPath]: only(administrationPath),
    [`${administrationPath}/users`]: only(`${administrationPath}/users`),
    [`${administrationPath}/users/:user`]: only(`${administrationPath}/users/grace`),
    [`${administrationPath}/organizations`]: only(`${administrationPath}/organizations`),
    [`${administrationPath}/tokens`]: only(`${administrationPath}/tokens`),
    [`${administrationPath}/keys`]: only(`${administrationPath}/keys`),
    [`${administrationPath}/applications`]: only(`${administrationPath}/applications`),
    [`${administrationPath}/webhooks`]: only(`${administrationPath}/webhooks`),
    [`${administrationPath}/storage`]: only(`${administrationPath}/storage`),
    [`${administrationPath}/server`]: only(`${administrationPath}/server`),
    [profilePath]: only(profilePath),
    [newOrganizationPath]: only(newOrganizationPath),
    '/-/orgs/:org/people': only('/-/orgs/acme/people'),
    '/-/orgs/:org/teams': only('/-/orgs/acme/teams'),
    '/-/orgs/:org/settings': only('/-/orgs/acme/settings'),
    [teamPath]: only('/-/orgs/acme/teams/crew'),
    [inboxPath]: only(inboxPath).concat(only(`${inboxPath}?all=1`)),
    [`${repository}/issues`]: only(`${at}/issues?q=is%3Aall`),
    [`${repository}/issues/new`]: only(`${at}/issues/new`),
    [`${repository}/issues/:number`]: open(`${at}/issues/1`),
    [`${repository}/milestone/:number`]: [],
    [`${repository}/collaborators`]: only(`${at}/collaborators`),
  };
}
