import { representSignature, representVerification } from '../commits/commit-json.ts';
import type { Json } from '../json/json-values.ts';
import type { AnnotatedTag, Ref } from '../git/git.ts';
import { nodeId } from '../json/node-id.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { representObject } from './ref-json.ts';

type Representation = { [member: string]: Json };

/** An annotated tag. */
export function representTag(
  tag: AnnotatedTag,
  repository: Repository,
  urls: Urls,
): Representation {
  const name = fullName(repository);
  // A tag's signature is the end of its text, where git itself looks for it.
  const signature = /^-----BEGIN (?:PGP|SSH) SIGNATURE-----$[^]*/m.exec(tag.message)?.[0];
  return {
    node_id: nodeId('Tag', `${repository.id}:${tag.id}`),
    sha: tag.id,
    url: urls.gitObject(name, 'tags', tag.id),
    tagger: tag.tagger ? representSignature(tag.tagger) : null,
    object: representObject(tag.object, tag.type, name, urls),
    tag: tag.tag,
    message: tag.message,
    verification: representVerification({ signature, payload: undefined }),
  };
}

/** A tag in the list of tags: what it is called and the commit it finally names. */
export function representTagRef(
  ref: Pick<Ref, 'name' | 'peeled'>,
  repository: Repository,
  urls: Urls,
): Representation {
  const name = fullName(repository);
  return {
    name: ref.name.slice('refs/tags/'.length),
    zipball_url: urls.archive(name, 'zipball', ref.name),
    tarball_url: urls.archive(name, 'tarball', ref.name),
    commit: { sha: ref.peeled, url: urls.commit(name, ref.peeled) },
    node_id: nodeId('Ref', `${repository.id}:${ref.name}`),
  };
}
