import { invalid } from '../errors/api-error.ts';
import type { GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import type { Urls } from '../json/urls.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { type MergedPull, pullsMergedBy } from './notes-store.ts';
import { fieldError } from './release-input.ts';
import { listReleases } from './release-store.ts';
import { tagCommit, targetCommit } from './release-tag.ts';

/** Commits whose pulls are in generated notes. */
const commitsMax = 2000;
/** Releases that are looked at to find the previous one. */
const releasesMax = 30;

export interface NotesInput {
  readonly tagName: string;
  readonly targetCommitish: string;
  readonly previousTagName?: string | undefined;
}

export interface ReleaseNotes {
  readonly name: string;
  readonly body: string;
}

/** Notes of a release: the pulls that were merged since the previous one, in the format of GitHub. */
export async function generateNotes(
  ports: Ports,
  repository: Repository,
  { tagName, targetCommitish, previousTagName }: NotesInput,
  urls: Urls,
): Promise<ReleaseNotes> {
  const git = ports.git.repository(repository.id);
  const tip =
    (await tagCommit(git, tagName)) ??
    (await targetCommit(git, targetCommitish)) ??
    invalid(fieldError('invalid', 'target_commitish'));
  const previous =
    previousTagName === undefined
      ? await previousRelease(ports, repository, tagName, tip)
      : await resolveTag(git, previousTagName);
  const notIn = previous ? [previous.commit] : [];
  const commits = await git.log({ from: tip, notIn, max: commitsMax });
  const pulls = await ports.database.read((sql) =>
    pullsMergedBy(
      sql,
      repository.id,
      commits.map(({ id }) => id),
    ),
  );
  return { name: tagName, body: notesOf(pulls, { repository, tagName, previous, urls }) };
}

interface Tagged {
  readonly tagName: string;
  readonly commit: ObjectId;
}

async function resolveTag(git: GitRepository, tagName: string): Promise<Tagged> {
  const commit = await tagCommit(git, tagName);
  return commit ? { tagName, commit } : invalid(fieldError('invalid', 'previous_tag_name'));
}

/** The release of the latest commit among those that the tip contains. */
async function previousRelease(
  ports: Ports,
  repository: Repository,
  tagName: string,
  tip: ObjectId,
): Promise<Tagged | undefined> {
  const git = ports.git.repository(repository.id);
  const page = { offset: 0, size: releasesMax };
  const { releases } = await ports.database.read((sql) =>
    listReleases(sql, repository.id, false, page),
  );
  for (const release of releases) {
    if (release.tagName === tagName) continue;
    const commit = await tagCommit(git, release.tagName);
    if (commit && commit !== tip && (await git.isAncestor(commit, tip))) {
      return { tagName: release.tagName, commit };
    }
  }
  return undefined;
}

interface NotesContext {
  readonly repository: Repository;
  readonly tagName: string;
  readonly previous: Tagged | undefined;
  readonly urls: Urls;
}

function notesOf(
  pulls: readonly MergedPull[],
  { repository, tagName, previous, urls }: NotesContext,
): string {
  const name = fullName(repository);
  const urlOf = ({ number }: MergedPull): string => urls.pullHtml(name, number);
  const changes = pulls.map(
    (pull) => `* ${pull.title} by @${pull.authorLogin} in ${urlOf(pull)}\n`,
  );
  const newcomers = pulls
    .filter(({ isFirst }) => isFirst)
    .map((pull) => `* @${pull.authorLogin} made their first contribution in ${urlOf(pull)}\n`);
  const changelog = previous
    ? urls.compareHtml(name, `${previous.tagName}...${tagName}`)
    : urls.commitsHtml(name, tagName, '');
  return [
    ...(changes.length === 0 ? [] : ["## What's Changed\n", ...changes, '\n']),
    ...(newcomers.length === 0 ? [] : ['## New Contributors\n', ...newcomers, '\n']),
    `**Full Changelog**: ${changelog}`,
  ].join('');
}
