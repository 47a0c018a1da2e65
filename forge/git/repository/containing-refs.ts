import { type GitDirectory, runIn } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import type { ContainingRefs, RefsSearch } from '../history-summary.ts';
import type { ObjectId } from '../names.ts';
import { AnswerCache } from './answer-cache.ts';

const mebibyte = 1024 * 1024;

/**
 * Time of the search for the branches and tags that contain a commit, on its page, which shows what is found by then. A longer
 * search is one of the slow commands.
 */
const quickSeconds = 0.25;
/** Time of the search for the branches and tags that contain a commit, where it is asked for. */
const secondsMax = 5;
/** Memory of git for this search. */
const memoryBytesMax = 512 * mebibyte;

/** Output of git that this search reads, about 20,000 names; more are counted as far as they were read. */
const outputBytesMax = mebibyte;

/** Branches, and tags, that this search names; the others are counted. */
const namesMax = 100;

/** Answers of this search that are held. */
const answersMax = 500;

/** By directory, commit, version of the refs, and effort. */
const answers = new AnswerCache<ContainingRefs | undefined>(answersMax);

/** The branches and tags whose history has a commit; undefined where the search takes too long. */
export async function containingRefs(
  directory: GitDirectory,
  { commit, refsVersion, effort }: RefsSearch,
): Promise<ContainingRefs | undefined> {
  const key = `${directory.path} ${commit} ${refsVersion}`;
  const quick = answers.held(key);
  const found = quick && (await quick);
  if (found) return found;
  const thorough = `${key} thorough`;
  if (effort === 'thorough')
    return answers.get(thorough, () => find(directory, commit, secondsMax));
  const longer = answers.held(thorough);
  return longer ?? answers.get(key, () => find(directory, commit, quickSeconds));
}

async function find(
  directory: GitDirectory,
  commit: ObjectId,
  seconds: number,
): Promise<ContainingRefs | undefined> {
  const parts = [
    'for-each-ref',
    `--contains=${commit}`,
    '--format=%(HEAD)%(refname)',
    '--',
    'refs/heads/',
    'refs/tags/',
  ];
  try {
    const { bytes, cut } = await runIn(directory, parts, {
      limits: { seconds, memoryBytes: memoryBytesMax },
      slow: seconds > quickSeconds,
      outputBytesMax,
      cut: true,
    });
    const lines = bytes.toString().split('\n').slice(0, -1);
    return { branches: named(lines, 'refs/heads/'), tags: named(lines, 'refs/tags/'), cut };
  } catch (error) {
    if (!(error instanceof GitError) || error.kind !== 'limit') throw error;
    return undefined;
  }
}

/** `*refs/heads/main` is that of HEAD, and comes first. */
function named(lines: readonly string[], prefix: string): ContainingRefs['branches'] {
  const found = lines.filter((line) => line.startsWith(prefix, 1));
  const first = found.filter((line) => line.startsWith('*'));
  const others = found.filter((line) => !line.startsWith('*'));
  const names = [...first, ...others].slice(0, namesMax);
  return { names: names.map((line) => line.slice(prefix.length + 1)), count: found.length };
}
