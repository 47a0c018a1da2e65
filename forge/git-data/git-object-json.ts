import { createHash } from 'node:crypto';
import { Transform, type Readable, type TransformCallback } from 'node:stream';

import { pipeThrough } from '#platform/pipe-through.ts';

import { representSignature, representVerification } from '../commits/commit-json.ts';
import type { GitRepository, Tree, TreeEntry, Commit, AnnotatedTag, Ref } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import type { EndpointResult } from '../http/endpoint-result.ts';
import type { Json } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { base64LinesLength, bytesOfLine, encodeBase64Lines } from './base64.ts';
import { representObject } from './ref-json.ts';

export function representBlob(
  id: ObjectId,
  content: Buffer,
  repository: Repository,
  urls: Urls,
): { [field: string]: Json } {
  return {
    ...describeBlob(id, content.length, repository, urls),
    content: encodeBase64Lines(content),
    encoding: 'base64',
  };
}

function describeBlob(
  id: ObjectId,
  size: number,
  repository: Repository,
  urls: Urls,
): { [field: string]: Json } {
  return {
    sha: id,
    node_id: nodeId('Blob', `${repository.id}:${id}`),
    size,
    url: urls.gitObject(fullName(repository), 'blobs', id),
  };
}

/** The same as `representBlob`, encoded while git reads the blob: in memory it would take several times its size. */
export function streamBlobJson(
  git: GitRepository,
  { id, size }: { readonly id: ObjectId; readonly size: number },
  repository: Repository,
  urls: Urls,
): EndpointResult {
  const representation = JSON.stringify(describeBlob(id, size, repository, urls));
  const head = `${representation.slice(0, -1)},"content":"`;
  const tail = '","encoding":"base64"}';
  const { characters, lines } = base64LinesLength(size);
  return {
    kind: 'stream',
    form: 'json',
    // A line break has two characters in JSON.
    bytes: Buffer.byteLength(head) + characters + 2 * lines + tail.length,
    entityTag: createHash('sha256').update(head).digest('hex'),
    open: async () => encodedBetween(head, await git.streamBlob(id), tail),
  };
}

function encodedBetween(head: string, content: Readable, tail: string): Readable {
  let rest: Buffer = Buffer.alloc(0);
  const encoder = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const bytes = Buffer.concat([rest, chunk]);
      const whole = bytes.length - (bytes.length % bytesOfLine);
      rest = bytes.subarray(whole);
      done(null, encodeInJson(bytes.subarray(0, whole)));
    },
    flush(done: TransformCallback) {
      done(null, encodeInJson(rest) + tail);
    },
  });
  encoder.push(head);
  return pipeThrough(content, encoder);
}

/** As JSON writes them, without quotes. */
function encodeInJson(bytes: Buffer): string {
  return encodeBase64Lines(bytes).replaceAll('\n', '\\n');
}

type Representation = { [field: string]: Json | undefined };

export function representTree(tree: Tree, repositoryFullName: string, urls: Urls): Representation {
  return {
    sha: tree.id,
    url: urls.gitObject(repositoryFullName, 'trees', tree.id),
    tree: tree.entries.map((entry) => representEntry(entry, repositoryFullName, urls)),
    truncated: tree.truncated,
  };
}

/** A submodule's commit is in another repository, whose URL is not known here. */
function representEntry(entry: TreeEntry, name: string, urls: Urls): Representation {
  const { path, mode, type, id } = entry;
  const shared = { path, mode, type, sha: id };
  switch (type) {
    case 'blob':
      return { ...shared, size: entry.size, url: urls.gitObject(name, 'blobs', id) };
    case 'tree':
      return { ...shared, url: urls.gitObject(name, 'trees', id) };
    case 'commit':
      return shared;
  }
}

/** A commit as git has it: names and addresses, no users. */
export function representGitCommit(
  commit: Commit,
  repository: Repository,
  urls: Urls,
): { [field: string]: Json } {
  const name = fullName(repository);
  return {
    sha: commit.id,
    node_id: nodeId('Commit', `${repository.id}:${commit.id}`),
    url: urls.gitObject(name, 'commits', commit.id),
    html_url: urls.commitHtml(name, commit.id),
    author: representSignature(commit.author),
    committer: representSignature(commit.committer),
    tree: { sha: commit.tree, url: urls.gitObject(name, 'trees', commit.tree) },
    message: commit.message,
    parents: commit.parents.map((sha) => ({
      sha,
      url: urls.gitObject(name, 'commits', sha),
      html_url: urls.commitHtml(name, sha),
    })),
    verification: representVerification(commit),
  };
}

type TagRepresentation = { [field: string]: Json };

/** An annotated tag. */
export function representTag(
  tag: AnnotatedTag,
  repository: Repository,
  urls: Urls,
): TagRepresentation {
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
): TagRepresentation {
  const name = fullName(repository);
  return {
    name: ref.name.slice('refs/tags/'.length),
    zipball_url: urls.archive(name, 'zipball', ref.name),
    tarball_url: urls.archive(name, 'tarball', ref.name),
    commit: { sha: ref.peeled, url: urls.commit(name, ref.peeled) },
    node_id: nodeId('Ref', `${repository.id}:${ref.name}`),
  };
}
