import type { GitRepository } from '../git/git.ts';
import { branchRef, parseBranchName } from '../git/names.ts';
import { bytesByLanguage } from './languages.ts';

export interface LanguageBytes {
  readonly name: string;
  readonly bytes: number;
}

/** The languages of a branch, the one with the most bytes first. */
export async function readLanguages(
  git: GitRepository,
  branchName: string,
): Promise<readonly LanguageBytes[]> {
  const branch = parseBranchName(branchName);
  const tip = branch && (await git.readRef(branchRef(branch)));
  const tree = tip && (await git.readTree(tip, { recursive: true }));
  if (!tree) return [];
  return [...bytesByLanguage(tree.entries)].map(([name, bytes]) => ({ name, bytes }));
}
