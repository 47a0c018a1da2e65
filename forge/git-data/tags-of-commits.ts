import type { GitRepository, Ref } from '../git/git.ts';

/** The tags that name commits, directly or through tag objects, last names first. */
export async function tagsOfCommits(git: GitRepository): Promise<Ref[]> {
  const tags = await git.listRefs('refs/tags/');
  const types = await Promise.all(
    tags.map(async ({ type, peeled }) =>
      type === 'tag' ? (await git.objectInfo(peeled))?.type : type,
    ),
  );
  return tags.filter((_, index) => types[index] === 'commit').toReversed();
}
