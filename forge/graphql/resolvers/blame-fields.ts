import type { BlamedLines } from '../../git/blamed-lines.ts';
import { parseTreePath } from '../../git/names.ts';
import { type Arguments, text } from '../engine/arguments.ts';
import { failField } from '../engine/field-error.ts';
import type { Fields, GraphqlContext, Resolvers } from './context.ts';
import { inGit, readCommit } from './git-objects.ts';
import type { CommitSource } from './sources.ts';

interface BlameRange {
  /** 1 for the latest change of the file, 10 for the oldest. */
  readonly age: number;
  readonly commit: CommitSource;
  readonly startingLine: number;
  readonly endingLine: number;
}

/** Which commit each line of a file is from. */
export async function blameOf(
  { at, commit }: CommitSource,
  values: Arguments,
  context: GraphqlContext,
): Promise<{ ranges: BlameRange[] }> {
  const named = text(values, 'path');
  const path = parseTreePath(named);
  const lines = await inGit(at, context, async (git) => {
    const entry = path && (await git.findPath(commit.id, path));
    return path && entry?.type === 'blob' ? git.blame(commit.id, path) : undefined;
  });
  if (!lines)
    return failField('NOT_FOUND', `Could not resolve to a file with the path '${named}'.`);
  const ids = [...new Set(lines.map((each) => each.commit))];
  const sources = await Promise.all(ids.map((id) => readCommit(at, id, context)));
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

const blameFields: Fields<{ readonly ranges: BlameRange[] }> = { ranges: ({ ranges }) => ranges };

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
