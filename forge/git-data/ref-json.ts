import type { Json } from '../json/json-values.ts';
import type { ObjectType, Ref } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import { nodeId } from '../json/node-id.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';

type Representation = { [field: string]: Json };

/** A git reference. Its object is what it names: an annotated tag, not the commit behind it. */
export function representRef(
  ref: Pick<Ref, 'name' | 'id' | 'type'>,
  repository: Repository,
  urls: Urls,
): Representation {
  const name = fullName(repository);
  return {
    ref: ref.name,
    node_id: nodeId('Ref', `${repository.id}:${ref.name}`),
    url: urls.gitRef(name, ref.name),
    object: representObject(ref.id, ref.type, name, urls),
  };
}

const kinds = { commit: 'commits', tree: 'trees', blob: 'blobs', tag: 'tags' } as const;

/** The object that a ref or a tag names. */
export function representObject(
  id: ObjectId,
  type: ObjectType,
  repositoryFullName: string,
  urls: Urls,
): Representation {
  return { sha: id, type, url: urls.gitObject(repositoryFullName, kinds[type], id) };
}
