import type { GitRepository, Ref } from '../git/git.ts';
import { parseRefName } from '../git/names.ts';

/** The ref of exactly this name, as a path has it: `heads/main`. What only the server knows of is not there. */
export async function findRef(
  git: GitRepository,
  tail: string,
): Promise<Pick<Ref, 'name' | 'id' | 'type'> | undefined> {
  const name = tail.startsWith('internal/') ? undefined : parseRefName(`refs/${tail}`);
  const id = name && (await git.readRef(name));
  const info = id && (await git.objectInfo(id));
  return name && id && info && { name, id, type: info.type };
}
