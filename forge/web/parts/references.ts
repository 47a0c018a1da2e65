import type { Sql } from '#platform/database/database.ts';

import { findAccount } from '../../accounts/account-store.ts';
import { RefusalError } from '../../errors/api-error.ts';
import type { LinkedText } from '../../http/markup.ts';
import { issuesByNumber } from '../../issues/issue-store.ts';
import { readableTransferred } from '../../issues/redirect-transferred.ts';
import { callerAccountId } from '../../model/caller.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import { locateByName } from '../../permissions/access-store.ts';
import { permissionIn } from '../../repositories/repository-access.ts';
import { loadVisibleTeam } from '../../teams/team-access.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** Splits a text where it names a person, a team, an issue, a pull or a commit that the viewer may see. */
export type LinkText = (text: string) => readonly LinkedText[];

/** Names of each kind that are looked up for the texts of a page; those beyond stay text. */
const namesMax = 50;

const name =
  /(?<![\w/@.#-])(?:@(?<login>[a-z\d][a-z\d-]{0,38})(?:\/(?<team>[\w-]{1,100}))?|(?:(?<owner>[a-z\d][a-z\d-]{0,38})\/(?<repo>[\w.-]{1,100}))?(?:#|(?<![\w.-])gh-)(?<number>[1-9]\d{0,8})|(?<sha>[0-9a-f]{7,40}))(?![\w-])/gi;

type Targets = Map<string, Omit<LinkedText, 'text'>>;
/** The groups of a name; which are set says what it is of. */
type Groups = Readonly<Record<string, string | undefined>>;

/** Looks up at once what the texts of a page name. */
export async function findReferences(
  context: RepositoryContext,
  texts: readonly (string | null)[],
): Promise<LinkText> {
  const named = new Map<string, Groups>();
  for (const text of texts) {
    for (const { 0: whole, groups } of text?.matchAll(name) ?? []) {
      named.set(whole.toLowerCase(), groups ?? {});
    }
  }
  const of = (group: string): [string, Groups][] =>
    [...named].filter(([, groups]) => groups[group] !== undefined).slice(0, namesMax);
  const targets: Targets = new Map();
  const [people, issues, commits] = [of('login'), of('number'), of('sha')];
  if (people.length + issues.length > 0) {
    await context.ports.database.read(async (sql) => {
      for (const [key, groups] of people) {
        const href = await personUrl(sql, context, groups);
        if (href !== undefined) targets.set(key, { href });
      }
      await addIssues(sql, context, issues, targets);
    });
  }
  for (const [key] of commits) await addCommit(context, key, targets);
  return (text) => split(text, targets);
}

function split(text: string, targets: Targets): LinkedText[] {
  const parts: LinkedText[] = [];
  let at = 0;
  for (const { 0: whole, index } of text.matchAll(name)) {
    const target = targets.get(whole.toLowerCase());
    if (!target) continue;
    parts.push({ text: text.slice(at, index) }, { text: whole, ...target });
    at = index + whole.length;
  }
  return [...parts, { text: text.slice(at) }];
}

async function personUrl(
  sql: Sql,
  { caller, urls }: RepositoryContext,
  { login = '', team }: Groups,
): Promise<string | undefined> {
  if (team === undefined) {
    const account = await findAccount(sql, login);
    return account && urls.userHtml(account.login);
  }
  try {
    const seen = await loadVisibleTeam(sql, caller, { org: login, team_slug: team });
    return urls.teamHtml(seen.organization.login, seen.team.slug);
  } catch (error) {
    // No team that this viewer may see.
    if (error instanceof RefusalError) return undefined;
    throw error;
  }
}

async function addIssues(
  sql: Sql,
  { caller, urls, repository }: RepositoryContext,
  issues: readonly [string, Groups][],
  targets: Targets,
): Promise<void> {
  const own = fullName(repository);
  const byRepository = Map.groupBy(issues, ([, { owner, repo }]) =>
    owner === undefined ? own : `${owner}/${repo ?? ''}`,
  );
  for (const [at, named] of byRepository) {
    const id = at === own ? repository.id : await readableRepository(sql, caller, at);
    if (id === undefined) continue;
    const numbers = [...new Set(named.map(numberOf))];
    const found = await issuesByNumber(sql, id, numbers);
    const byNumber = new Map(found.map((issue) => [issue.number, issue]));
    const others = numbers.filter((number) => !byNumber.has(number));
    const transferred = await readableTransferred(sql, caller, id, others);
    const moved = new Map(transferred.map(({ formerNumber, title }) => [formerNumber, title]));
    for (const entry of named) {
      const issue = byNumber.get(numberOf(entry));
      if (issue?.pull) {
        targets.set(entry[0], { href: urls.pullHtml(at, issue.number), title: issue.title });
      } else if (issue ?? moved.has(numberOf(entry))) {
        // The page of one that was transferred leads to it.
        const title = issue?.title ?? moved.get(numberOf(entry)) ?? '';
        targets.set(entry[0], { href: urls.issueHtml(at, numberOf(entry)), title });
      }
    }
  }
}

function numberOf([, { number }]: [string, Groups]): number {
  return Number(number);
}

async function readableRepository(
  sql: Sql,
  caller: RepositoryContext['caller'],
  at: string,
): Promise<number | undefined> {
  const [owner = '', repo = ''] = at.split('/');
  const located = await locateByName(sql, owner, repo, callerAccountId(caller));
  if (!located) return undefined;
  return atLeast(await permissionIn(sql, caller, located.id), 'read') ? located.id : undefined;
}

async function addCommit(
  { git, urls, repository }: RepositoryContext,
  key: string,
  targets: Targets,
): Promise<void> {
  const id = await git.resolveCommit(key);
  // A branch may have such a name.
  if (id?.startsWith(key)) {
    targets.set(key, { href: urls.commitHtml(fullName(repository), id) });
  }
}
