import type { BlamedLines } from '../../git/blamed-lines.ts';
import { parseTreePath, type TreePath } from '../../git/names.ts';
import { type Arguments, textArgument } from '../engine/arguments.ts';
import { failField } from '../engine/field-error.ts';
import type { Fields, GraphqlContext, Resolvers } from './context.ts';
import { inGit, findCommitSource } from './git-objects.ts';
import type { CommitSource } from './sources.ts';

interface BlameRange {
  /** 1 for the latest change of the file, 10 for the oldest. */
  readonly age: number;
  readonly commit: CommitSource;
  readonly startingLine: number;
  readonly endingLine: number;
}

export interface Blame {
  readonly ranges: readonly BlameRange[];
}

/** Which commit each line of a file is from. Aliases of the same file share it: git takes long for it. */
export async function blameOf(
  source: CommitSource,
  values: Arguments,
  context: GraphqlContext,
): Promise<Blame> {
  const named = textArgument(values, 'path');
  const path = parseTreePath(named);
  const { blames } = context.loaders;
  const key = `${source.at.repository.id} ${source.commit.id} ${named}`;
  const reading = blames.get(key) ?? (path && readBlame(source, path, context));
  if (reading) blames.set(key, reading);
  const blame = await reading;
  return blame ?? failField('NOT_FOUND', `Could not resolve to a file with the path '${named}'.`);
}

async function readBlame(
  { at, commit }: CommitSource,
  path: TreePath,
  context: GraphqlContext,
): Promise<Blame | undefined> {
  const { inSlowSlot = (work) => work() } = context.request;
  const lines = await inGit(at, context, async (git) => {
    const entry = await git.findPath(commit.id, path);
    return entry?.type === 'blob' ? inSlowSlot(() => git.blame(commit.id, path)) : undefined;
  });
  if (!lines) return undefined;
  const ids = [...new Set(lines.map((each) => each.commit))];
  const sources = await Promise.all(ids.map((id) => findCommitSource(at, id, context)));
  const commits = new Map(
    sources.flatMap((source) => (source ? [[source.commit.id, source]] : [])),
  );
  const ageOf = ageIn(lines);
  return {
    ranges: lines.flatMap((each) => {
      const source = commits.get(each.commit);
      const { from, count } = each;
      if (!source) return [];
      const range = { startingLine: from, endingLine: from + count - 1 };
      return [{ ...range, age: ageOf(each), commit: source }];
    }),
  };
}

const rangeFields: Fields<BlameRange> = {
  age: ({ age }) => age,
  commit: ({ commit }) => commit,
  startingLine: ({ startingLine }) => startingLine,
  endingLine: ({ endingLine }) => endingLine,
};

const blameFields: Fields<Blame> = { ranges: ({ ranges }) => ranges };

export const blameResolvers: Resolvers = { Blame: blameFields, BlameRange: rangeFields };

/** By the time of the change, between the first and the last of the file. */
function ageIn(lines: readonly BlamedLines[]): (each: BlamedLines) => number {
  let [oldest, latest] = [Infinity, -Infinity];
  for (const { seconds } of lines) {
    oldest = Math.min(oldest, seconds);
    latest = Math.max(latest, seconds);
  }
  const span = Math.max(1, latest - oldest);
  return ({ seconds }) => 1 + Math.round((9 * (latest - seconds)) / span);
}
