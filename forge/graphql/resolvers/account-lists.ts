import { findIssues } from '../../search/find-issues.ts';
import type { FoundIssue } from '../../search/issue-search-store.ts';
import type { Criterion } from '../../search/search-query.ts';
import { searcherOf } from '../../search/searcher.ts';
import { loadVisibleTeam } from '../../teams/team-access.ts';
import { repositoriesOfTeam } from '../../teams/team-repository-store.ts';
import {
  type Arguments,
  optionalObject,
  optionalText,
  optionalTexts,
} from '../engine/arguments.ts';
import { connect, type Connection, connectList } from '../engine/connection.ts';
import { failField } from '../engine/field-error.ts';
import { always, type Fields, type GraphqlContext, type Resolvers } from './context.ts';
import { sortOf } from './issue-fields.ts';
import { countedSearch, type SearchResults, issueSources, sliceOf } from './search-fields.ts';
import type {
  AccountSource,
  IssueSource,
  PullSource,
  RepositorySource,
  TeamSource,
} from './sources.ts';

/** The repositories of a team are read whole. */
const listed = { offset: 0, size: 10_000 };

/** Labels of the issues or pulls of a user in GraphQL. */
const labelsMax = 20;

const userFields: Fields<AccountSource> = {
  issues: (source, values, context) => {
    const by = optionalObject(values, 'filterBy') ?? {};
    const since = optionalText(by, 'since');
    const parts = [
      is('issue'),
      ...statesOf(optionalTexts(by, 'states') ?? optionalTexts(values, 'states')),
      ...labelsOf(optionalTexts(by, 'labels') ?? optionalTexts(values, 'labels')),
      ...(since === undefined ? [] : [qualifier('updated', `>=${timeOf(since)}`)]),
    ];
    return writtenBy('issues', source, parts, values, context);
  },
  pullRequests: (source, values, context) => {
    const base = optionalText(values, 'baseRefName');
    const head = optionalText(values, 'headRefName');
    const parts = [
      is('pr'),
      ...statesOf(optionalTexts(values, 'states')),
      ...labelsOf(optionalTexts(values, 'labels')),
      ...(base === undefined ? [] : [qualifier('base', base)]),
      ...(head === undefined ? [] : [qualifier('head', head)]),
    ];
    return writtenBy('pullRequests', source, parts, values, context);
  },
  contributionsCollection: always({}),
};

/** Nothing here is older than the epoch; before the year 0, the form of a time is another one. */
function timeOf(text: string): string {
  return new Date(Math.max(0, Date.parse(text))).toISOString();
}

function qualifier(name: string, ...values: readonly string[]): Criterion {
  return { kind: 'qualifier', name, values };
}

function is(state: string): Criterion {
  return qualifier('is', state);
}

/** A closed pull is one that was not merged. */
const stateCriteria: Readonly<Record<string, Criterion>> = {
  OPEN: is('open'),
  CLOSED: { kind: 'all', parts: [is('closed'), { kind: 'not', part: is('merged') }] },
  MERGED: is('merged'),
};

function statesOf(names: readonly string[] | undefined): Criterion[] {
  // A document may repeat a state, and each criterion is a condition in SQL.
  const parts = [...new Set(names)].flatMap((name) => stateCriteria[name] ?? []);
  return parts.length === 0 ? [] : [{ kind: 'any', parts }];
}

function labelsOf(labels: readonly string[] | undefined): Criterion[] {
  if (!labels || labels.length === 0) return [];
  if (labels.length > labelsMax) {
    failField('ARGUMENT_LIMIT', `You may not provide more than ${labelsMax} labels.`);
  }
  return [qualifier('label', ...labels)];
}

/** The issues or pulls of an account in all repositories that the viewer may read, as a search finds them. */
function writtenBy(
  name: 'issues' | 'pullRequests',
  { account }: AccountSource,
  parts: readonly Criterion[],
  values: Arguments,
  context: GraphqlContext,
): Connection<IssueSource | PullSource> {
  const { ports, request } = context;
  const { sort, direction } = sortOf(values);
  const criterion = {
    kind: 'all',
    parts: [qualifier('author', account.login), ...parts],
  } as const;
  const search = async (): Promise<readonly FoundIssue[]> => {
    const order = { by: sort, descending: direction === 'desc' };
    const searcher = searcherOf(request.caller);
    const found = await countedSearch(context, () =>
      findIssues(ports.database, { criterion, order }, searcher),
    );
    return found.issues;
  };
  let found: Promise<SearchResults<IssueSource | PullSource>> | undefined;
  const results = (): typeof found & object =>
    (found ??= search().then((issues) => ({
      total: issues.length,
      items: (offset, size) => issueSources(issues.slice(offset, offset + size), context),
    })));
  return connect(name, values, {
    keys: 'number',
    total: async () => (await results()).total,
    load: async (bounds) => sliceOf(await results(), bounds),
  });
}

const teamFields: Fields<TeamSource> = {
  repositories: ({ team }, values, { ports, request, loaders }) => {
    const wanted = optionalText(values, 'query')?.toLowerCase();
    const read = async (): Promise<RepositorySource[]> => {
      const grants = await ports.database.read(async (sql) => {
        const path = { org: team.organization.login, team_slug: team.slug };
        await loadVisibleTeam(sql, request.caller, path);
        return (await repositoriesOfTeam(sql, team.id, listed)).grants;
      });
      const found = await Promise.all(
        grants.map(({ repository }) => loaders.repository(repository.id)),
      );
      return found
        .flatMap((repository) => repository ?? [])
        .filter(
          ({ repository }) =>
            wanted === undefined || repository.name.toLowerCase().includes(wanted),
        );
    };
    return connectList('repositories', values, read, ({ repository }) => repository.id);
  },
};

export const accountListResolvers: Resolvers = {
  User: userFields,
  Team: teamFields,
  // Contributions are not counted.
  ContributionsCollection: { commitContributionsByRepository: always([]) },
};
