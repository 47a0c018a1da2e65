import { organizationsOf, listMembers } from '../../accounts/membership-store.ts';
import { findAccount, memberRole } from '../../accounts/account-store.ts';
import {
  requireOrganizationMember,
  loadVisibleOrganization,
} from '../../accounts/organization-access.ts';
import { RefusalError } from '../../errors/api-error.ts';
import { timestamp } from '../../json/json-values.ts';
import { nodeId } from '../../json/node-id.ts';
import { slugOfBot } from '../../model/account.ts';
import { holdsAny } from '../../model/scopes.ts';
import { loadVisibleTeam } from '../../teams/team-access.ts';
import { listTeamMembers, teamIdsOf } from '../../teams/team-member-store.ts';
import { listTeams } from '../../teams/team-store.ts';
import {
  optionalInteger,
  optionalObject,
  optionalText,
  optionalTexts,
  textArgument,
} from '../engine/arguments.ts';
import { type Connection, connectList } from '../engine/connection.ts';
import { failField } from '../engine/field-error.ts';
import { type Fields, type GraphqlContext, pathOfUrl, type Resolvers } from './context.ts';
import { ownedRepositories, repositoryOfOwner } from './repository-connections.ts';
import { accountSource, type AccountSource, type TeamSource } from './sources.ts';
import { keyResolvers, publicKeysOf } from './key-fields.ts';
import { followFields } from './star-fields.ts';

/** Lists of members, teams and organizations are read whole; none of them is longer. */
const listed = { offset: 0, size: 10_000 };

export function urlOfAccount({ account }: AccountSource, { request }: GraphqlContext): string {
  return account.kind === 'bot'
    ? request.urls.appHtml(slugOfBot(account.login))
    : request.urls.userHtml(account.login);
}

const actorFields: Fields<AccountSource> = {
  id: ({ typeName, account }) => nodeId(typeName, account.id),
  login: ({ account }) => account.login,
  avatarUrl: ({ account }, values, { request }) => {
    const size = optionalInteger(values, 'size');
    const url = request.urls.avatar(account.id);
    return size === undefined ? url : `${url}&s=${size}`;
  },
  url: (source, _values, context) => urlOfAccount(source, context),
  resourcePath: (source, _values, context) => pathOfUrl(urlOfAccount(source, context)),
};

const accountFields: Fields<AccountSource> = {
  ...actorFields,
  databaseId: ({ account }) => account.id,
  createdAt: ({ account }) => timestamp(account.createdAt),
  updatedAt: ({ account }) => timestamp(account.updatedAt),
};

const ownerFields: Fields<AccountSource> = {
  ...accountFields,
  name: ({ account }) => account.name,
  location: ({ account }) => account.location,
  websiteUrl: ({ account }) => account.blog || null,
  repositories: ownedRepositories,
  repository: ({ account }, values, context) =>
    repositoryOfOwner(account.login, textArgument(values, 'name'), context),
};

const userFields: Fields<AccountSource> = {
  ...ownerFields,
  ...followFields,
  publicKeys: publicKeysOf,
  bio: ({ account }) => account.bio,
  company: ({ account }) => account.company,
  email: ({ account }) => account.email ?? '',
  isSiteAdmin: ({ account }) => account.siteAdmin,
  isViewer: ({ account }, _values, { request }) => account.id === request.caller.account.id,
  organization: async ({ account }, values, { ports, request }) =>
    ports.database.read(async (sql) => {
      const { organization, role } = await loadVisibleOrganization(
        sql,
        request.caller,
        textArgument(values, 'login'),
      );
      const member = role && (await memberRole(sql, organization.id, account.id));
      return member ? accountSource(organization) : null;
    }),
  organizations: ({ account }, values, { ports, request }) => {
    const { caller } = request;
    // Memberships of others are seen with the scopes that REST requires for one's own.
    const viewerId = holdsAny(caller.scopes, ['read:org', 'repo', 'user']) ? caller.account.id : 0;
    return connectList(
      'organizations',
      values,
      async () => {
        const found = await ports.database.read((sql) =>
          organizationsOf(sql, account.id, viewerId, listed),
        );
        return found.organizations.map(accountSource);
      },
      idOfAccount,
    );
  },
};

const organizationFields: Fields<AccountSource> = {
  ...ownerFields,
  description: ({ account }) => account.bio,
  email: ({ account }) => account.email,
  viewerIsAMember: async (source, _values, context) =>
    (await ownRole(source, context)) !== undefined,
  viewerCanAdminister: async (source, _values, context) =>
    (await ownRole(source, context)) === 'admin',
  membersWithRole: ({ account }, values, { ports, request }) =>
    connectList(
      'membersWithRole',
      values,
      () =>
        ports.database.read(async (sql) => {
          await requireOrganizationMember(sql, request.caller, account.login);
          const { members } = await listMembers(sql, account.id, undefined, listed);
          return members.map(accountSource);
        }),
      idOfAccount,
    ),
  team: async ({ account }, values, { ports, request }) => {
    const path = { org: account.login, team_slug: textArgument(values, 'slug') };
    return unlessRefused(async () => {
      const seen = await ports.database.read((sql) => loadVisibleTeam(sql, request.caller, path));
      return teamSource(seen);
    });
  },
  teams: teamsOfOrganization,
};

const teamFields: Fields<TeamSource> = {
  id: ({ team }) => nodeId('Team', team.id),
  databaseId: ({ team }) => team.id,
  name: ({ team }) => team.name,
  slug: ({ team }) => team.slug,
  combinedSlug: ({ team }) => `${team.organization.login}/${team.slug}`,
  description: ({ team }) => team.description,
  privacy: ({ team }) => (team.privacy === 'secret' ? 'SECRET' : 'VISIBLE'),
  avatarUrl: ({ team }, _values, { request }) => request.urls.avatar(team.organization.id),
  url: ({ team }, _values, { request }) =>
    request.urls.teamHtml(team.organization.login, team.slug),
  resourcePath: ({ team }, _values, { request }) =>
    pathOfUrl(request.urls.teamHtml(team.organization.login, team.slug)),
  createdAt: ({ team }) => timestamp(team.createdAt),
  updatedAt: ({ team }) => timestamp(team.updatedAt),
  organization: ({ team }, _values, { loaders }) => loaders.account(team.organization.id),
  members: ({ team }, values, { ports, request }) =>
    connectList(
      'members',
      values,
      () =>
        ports.database.read(async (sql) => {
          const path = { org: team.organization.login, team_slug: team.slug };
          await loadVisibleTeam(sql, request.caller, path);
          const { members } = await listTeamMembers(sql, team.id, undefined, listed);
          return members.map(accountSource);
        }),
      idOfAccount,
    ),
};

export function teamSource({ team }: Pick<TeamSource, 'team'>): TeamSource {
  return { typeName: 'Team', team };
}

function idOfAccount({ account }: AccountSource): number {
  return account.id;
}

async function ownRole(
  { account }: AccountSource,
  { ports, request }: GraphqlContext,
): Promise<'admin' | 'member' | undefined> {
  const seen = await ports.database.read((sql) =>
    loadVisibleOrganization(sql, request.caller, account.login),
  );
  return seen.role;
}

function teamsOfOrganization(
  { account }: AccountSource,
  values: Readonly<Record<string, unknown>>,
  { ports, request }: GraphqlContext,
): Connection<TeamSource> {
  const logins = optionalTexts(values, 'userLogins');
  const wanted = optionalText(values, 'query')?.toLowerCase();
  const privacy = optionalText(values, 'privacy');
  return connectList(
    'teams',
    values,
    () =>
      ports.database.read(async (sql) => {
        const { role } = await requireOrganizationMember(sql, request.caller, account.login);
        const viewer = { id: request.caller.account.id, seesSecret: role === 'admin' };
        const { teams } = await listTeams(sql, account.id, viewer, listed);
        const joined = new Set<number>();
        for (const login of logins ?? []) {
          const member = await findAccount(sql, login);
          for (const id of member ? await teamIdsOf(sql, member.id) : []) joined.add(id);
        }
        const shown: TeamSource[] = [];
        for (const team of teams) {
          if (wanted !== undefined && !team.name.toLowerCase().includes(wanted)) continue;
          if (privacy !== undefined && (team.privacy === 'secret') !== (privacy === 'SECRET'))
            continue;
          if (logins && !joined.has(team.id)) continue;
          shown.push(teamSource({ team }));
        }
        const order = optionalObject(values, 'orderBy');
        if (!order) return shown;
        const descending = optionalText(order, 'direction') === 'DESC';
        const byName = shown.toSorted((one, other) => compareTexts(one.team.slug, other.team.slug));
        return descending ? byName.toReversed() : byName;
      }),
    ({ team }) => team.id,
  );
}

function compareTexts(one: string, other: string): number {
  return Number(one > other) - Number(one < other);
}

/** null where REST answers that there is no such thing. */
export async function unlessRefused<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.kind === 'not-found') return null;
    throw error;
  }
}

async function accountNamed(
  login: string,
  kind: 'user' | 'organization',
  { ports }: GraphqlContext,
): Promise<AccountSource> {
  const account = await ports.database.readOne((sql) => findAccount(sql, login));
  if (account?.kind === kind) return accountSource(account);
  const what = kind === 'user' ? 'a User' : 'an Organization';
  return failField('NOT_FOUND', `Could not resolve to ${what} with the login of '${login}'.`);
}

export const accountRoots: Fields<unknown> = {
  viewer: (_source, _values, { request }) => accountSource(request.caller.account),
  user: (_source, values, context) => accountNamed(textArgument(values, 'login'), 'user', context),
  organization: (_source, values, context) =>
    accountNamed(textArgument(values, 'login'), 'organization', context),
  repositoryOwner: async (_source, values, { ports }) => {
    const login = textArgument(values, 'login');
    const account = await ports.database.readOne((sql) => findAccount(sql, login));
    return account && account.kind !== 'bot' ? accountSource(account) : null;
  },
};

export const accountResolvers: Resolvers = {
  User: userFields,
  Organization: organizationFields,
  Bot: accountFields,
  ...keyResolvers,
  Mannequin: actorFields,
  Team: teamFields,
};
