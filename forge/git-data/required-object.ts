import { refuse } from '../errors/api-error.ts';
import type { GitRepository, ObjectType } from '../git/git.ts';
import { type ObjectId, parseObjectId } from '../git/names.ts';

/** The id of an object that must be there and be of a type, or a refusal in the given words. */
export async function requiredObject(
  git: GitRepository,
  text: string,
  type: ObjectType,
  message: string,
): Promise<ObjectId> {
  const id = parseObjectId(text);
  const info = id && (await git.objectInfo(id));
  return id && info?.type === type ? id : refuse({ kind: 'unprocessable', message });
}
