import type { Log } from '#platform/log.ts';

import { invalidateRepository } from '../events/invalidate.ts';
import { GitError } from '../git/git-error.ts';
import type { GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import { branchRef, parseBranchName } from '../git/names.ts';
import { inRepositoryQueue } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { licenseFileOf } from '../templates/detect-license.ts';
import {
  type CodeDescription,
  type CodeStatistics,
  markDescribed,
  setDescription,
  type UndescribedRepository,
  undescribedRepositories,
  writeCodeStatistics,
} from './code-description-store.ts';
import { contributorsOf } from './contributors.ts';
import { bytesByLanguage } from './languages.ts';
import { licenseOfFile } from './read-license.ts';

/** Files of a tree that count for the language of a repository. */
const entriesMax = 50_000;
/** Rows read at a time. */
const batch = 50;

type DescriptionPorts = Pick<Ports, 'database' | 'git'>;

/**
 * Reads language and licence of every repository whose refs have changed since. Apart from pushes, which it would slow down; several
 * pushes cost one reading.
 */
export async function describeRepositories(
  ports: DescriptionPorts,
  log: Log,
  goesOn: () => boolean = () => true,
): Promise<void> {
  let after = 0;
  while (goesOn()) {
    const limits = { after, limit: batch };
    const found = await ports.database.read((sql) => undescribedRepositories(sql, limits));
    for (const repository of found) {
      if (!goesOn()) return;
      await describeOne(ports, repository, log);
      after = repository.id;
    }
    if (found.length < batch) return;
  }
}

async function describeOne(
  ports: DescriptionPorts,
  repository: UndescribedRepository,
  log: Log,
): Promise<void> {
  const described = await readDescription(ports, repository, log);
  if (!described) return;
  const { id, language, license } = repository;
  await ports.database.write(async (sql) => {
    if (described.language !== language || described.license !== license) {
      await setDescription(await invalidateRepository(sql, id), id, described);
    }
    if (described.statistics) await writeCodeStatistics(sql, id, described.statistics);
    await markDescribed(sql, repository);
  }, inRepositoryQueue(id));
}

/** Undefined where git may be able to answer later. What it cannot read stays as it was until the next push. */
async function readDescription(
  ports: DescriptionPorts,
  repository: UndescribedRepository,
  log: Log,
): Promise<DescribedCode | undefined> {
  try {
    return await codeOf(ports, repository);
  } catch (err) {
    if (!(err instanceof GitError)) throw err;
    if (err.kind === 'unavailable' || err.kind === 'recovering') return undefined;
    log.warn({ err, repositoryId: repository.id }, 'language and license were not read');
    return repository;
  }
}

interface DescribedCode extends CodeDescription {
  readonly statistics?: CodeStatistics;
}

async function codeOf(
  ports: DescriptionPorts,
  { id, defaultBranch }: UndescribedRepository,
): Promise<DescribedCode> {
  const git = ports.git.repository(id);
  const branch = parseBranchName(defaultBranch);
  const tip = branch && (await git.readRef(branchRef(branch)));
  const tree = tip && (await git.readTree(tip, { recursive: true, entriesMax }));
  if (!tree) {
    const statistics = { languages: new Map(), contributors: 0 };
    return { language: null, license: null, statistics };
  }
  const languages = bytesByLanguage(tree.entries);
  const [language = null] = languages.keys();
  const file = licenseFileOf(tree.entries);
  const license = file ? await licenseOfFile(git, file) : null;
  const contributors = await countOf(ports, git, tip);
  return { language, license, statistics: { languages, contributors } };
}

/** null where that takes git too long: it is asked again after the next push. */
async function countOf(
  { database }: DescriptionPorts,
  git: GitRepository,
  tip: ObjectId,
): Promise<number | null> {
  try {
    return (await contributorsOf(database, await git.contributors(tip))).length;
  } catch (error) {
    if (!(error instanceof GitError) || error.kind !== 'limit') throw error;
    return null;
  }
}
