import Type from 'typebox';

import { inTurns } from '#platform/in-turns.ts';

import { isEmpty, refuseEmpty, getCommit } from '../commits/resolve-revision.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import type { GitRepository, Tree, TreeOptions, ObjectType } from '../git/git.ts';
import { parseObjectId, parseRefName, parseTreePath, type ObjectId } from '../git/names.ts';
import { ok, streamRaw, text, created } from '../http/endpoint-result.ts';
import { stringEnum, nullable } from '../http/schemas.ts';
import { fullName } from '../model/repository.ts';
import { personSchema, readPerson, signAs } from '../repositories/commit-people.ts';
import { mayRead, mayPush } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { decodeBase64 } from './base64.ts';
import {
  representBlob,
  streamBlobJson,
  representGitCommit,
  representTag,
  representTree,
} from './git-object-json.ts';
import { makeTree } from './make-tree.ts';
import { parseSha, contentBodyBytesMax, readTreeEntry, treeEntrySchema } from './object-input.ts';
import { checkSize, inlineBytesMax, readBlobWithinLimit } from './read-blob.ts';

/** Parents of a commit that the API creates: git looks at each of them. */
const parentsMax = 100;

/** Git blobs, trees, commits and annotated tags. */
export const gitObjectRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'git/get-blob',
    method: 'GET',
    path: '/repos/:owner/:repo/git/blobs/:file_sha',
    docs: 'git#get-a-blob',
    policy: mayRead,
    formats: ['raw'],
    cacheable: true,
    async handle({ path, media, urls }, { repository }, { git }) {
      const id = parseSha(path.file_sha, 'sha');
      const objects = git.repository(repository.id);
      const info = await objects.objectInfo(id);
      if (info?.type !== 'blob') return notFound();
      if (info.size > inlineBytesMax) {
        checkSize(info.size);
        const blob = { id, size: info.size };
        if (media.format === 'raw') return streamRaw(objects, blob);
        return streamBlobJson(objects, blob, repository, urls);
      }
      const content = (await readBlobWithinLimit(objects, id)) ?? notFound();
      if (media.format === 'raw') return text('raw', content);
      return ok(representBlob(id, content, repository, urls));
    },
  }),

  repositoryEndpoint({
    operation: 'git/create-blob',
    method: 'POST',
    path: '/repos/:owner/:repo/git/blobs',
    docs: 'git#create-a-blob',
    policy: mayPush,
    bodyBytesMax: contentBodyBytesMax,
    body: Type.Object({
      content: Type.String(),
      encoding: Type.Optional(stringEnum(['utf-8', 'base64'])),
    }),
    async handle({ body, urls }, { repository }, { git }) {
      const content =
        body.encoding === 'base64' ? decodeBase64(body.content) : Buffer.from(body.content);
      if (!content)
        return refuse({ kind: 'unprocessable', message: 'content is not valid Base64' });
      const sha = await git.repository(repository.id).writeBlob(content);
      const url = urls.gitObject(fullName(repository), 'blobs', sha);
      return created({ sha, url }, url);
    },
  }),

  repositoryEndpoint({
    operation: 'git/get-tree',
    method: 'GET',
    path: '/repos/:owner/:repo/git/trees/:tree_sha',
    docs: 'git#get-a-tree',
    policy: mayRead,
    cacheable: true,
    async handle({ path, query, urls }, { repository }, ports) {
      const git = ports.git.repository(repository.id);
      // As on GitHub, any value means true, even `0` and `false`.
      const tree = await findTree(git, path.tree_sha, { recursive: query.has('recursive') });
      if (!tree) return (await isEmpty(git, repository)) ? refuseEmpty() : notFound();
      return ok(representTree(tree, fullName(repository), urls));
    },
  }),

  repositoryEndpoint({
    operation: 'git/create-tree',
    method: 'POST',
    path: '/repos/:owner/:repo/git/trees',
    docs: 'git#create-a-tree',
    policy: mayPush,
    bodyBytesMax: contentBodyBytesMax,
    body: Type.Object({
      tree: Type.Array(treeEntrySchema),
      base_tree: Type.Optional(nullable(Type.String())),
    }),
    async handle({ body, urls }, { repository }, ports) {
      const git = ports.git.repository(repository.id);
      const base = body.base_tree ? parseSha(body.base_tree, 'base_tree') : undefined;
      const id = await makeTree(git, base, await inTurns(body.tree, readTreeEntry));
      const tree = await git.readTree(id);
      if (!tree) throw new Error(`tree ${id} was written and cannot be read`);
      return created(
        representTree(tree, fullName(repository), urls),
        urls.gitObject(fullName(repository), 'trees', id),
      );
    },
  }),

  repositoryEndpoint({
    operation: 'git/get-commit',
    method: 'GET',
    path: '/repos/:owner/:repo/git/commits/:commit_sha',
    docs: 'git#get-a-commit',
    policy: mayRead,
    cacheable: true,
    async handle({ path, urls }, { repository }, { git }) {
      const id = parseObjectId(path.commit_sha);
      const commit = id && (await git.repository(repository.id).readCommit(id));
      if (!commit) return notFound();
      return ok(representGitCommit(commit, repository, urls), {
        lastModified: commit.committer.seconds * 1000,
        isDatedWhole: true,
      });
    },
  }),

  repositoryEndpoint({
    operation: 'git/create-commit',
    method: 'POST',
    path: '/repos/:owner/:repo/git/commits',
    docs: 'git#create-a-commit',
    policy: mayPush,
    body: Type.Object({
      message: Type.String(),
      tree: Type.String(),
      parents: Type.Optional(nullable(Type.Array(Type.String(), { maxItems: parentsMax }))),
      author: personSchema,
      committer: personSchema,
      signature: Type.Optional(nullable(Type.String())),
    }),
    async handle(request, { repository }, ports) {
      const { body, caller, urls } = request;
      // Without its signature, the commit would differ from the one that was signed.
      if (body.signature)
        unprocessable('The API cannot create signed commits: push them with git.');
      const git = ports.git.repository(repository.id);
      const author = readPerson(body.author, request, 'author') ?? signAs(caller.account, request);
      const committer = readPerson(body.committer, request, 'committer') ?? author;
      const tree = await getObject(git, body.tree, 'tree', 'Tree SHA does not exist');
      const parents = [];
      for (const parent of body.parents ?? []) {
        const refusal = 'Parent SHA does not exist or is not a commit object';
        parents.push(await getObject(git, parent, 'commit', refusal));
      }
      const id = await git.writeCommit({ message: body.message, tree, parents, author, committer });
      const commit = await getCommit(git, id);
      return created(
        representGitCommit(commit, repository, urls),
        urls.gitObject(fullName(repository), 'commits', id),
      );
    },
  }),

  repositoryEndpoint({
    operation: 'git/get-tag',
    method: 'GET',
    path: '/repos/:owner/:repo/git/tags/:tag_sha',
    docs: 'git#get-a-tag',
    policy: mayRead,
    cacheable: true,
    async handle({ path, urls }, { repository }, { git }) {
      const id = parseObjectId(path.tag_sha);
      const tag = id && (await git.repository(repository.id).readTag(id));
      return tag ? ok(representTag(tag, repository, urls)) : notFound();
    },
  }),

  repositoryEndpoint({
    operation: 'git/create-tag',
    method: 'POST',
    path: '/repos/:owner/:repo/git/tags',
    docs: 'git#create-a-tag-object',
    policy: mayPush,
    body: Type.Object({
      tag: Type.String(),
      message: Type.String(),
      object: Type.String(),
      type: stringEnum(['commit', 'tree', 'blob', 'tag']),
      tagger: personSchema,
    }),
    async handle(request, { repository }, ports) {
      const { body, caller, urls } = request;
      const { tag, message, type } = body;
      if (!parseRefName(`refs/tags/${tag}`) || tag.startsWith('-')) {
        return refuse({ kind: 'unprocessable', message: `${tag} is not a valid tag name.` });
      }
      const tagger = readPerson(body.tagger, request, 'tagger') ?? signAs(caller.account, request);
      const git = ports.git.repository(repository.id);
      const refusal = `Object does not exist or is not a ${type}`;
      const object = await getObject(git, body.object, type, refusal);
      const id = await git.writeTag({ tag, message, type, object, tagger });
      const written = await git.readTag(id);
      if (!written) throw new Error(`tag ${id} was written and cannot be read`);
      return created(
        representTag(written, repository, urls),
        urls.gitObject(fullName(repository), 'tags', id),
      );
    },
  }),
];

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}

/**
 * The tree that a name stands for: the id of a tree or commit, a branch or tag, and with `:path` after it the tree at that
 * path.
 */
async function findTree(
  git: GitRepository,
  name: string,
  options: TreeOptions,
): Promise<Tree | undefined> {
  const colon = name.indexOf(':');
  const revision = colon === -1 ? name : name.slice(0, colon);
  const root = parseObjectId(revision) ?? (await git.resolveCommit(revision));
  const folder = colon === -1 ? '' : name.slice(colon + 1).replaceAll(/^\/+|\/+$/g, '');
  if (!root || folder === '') return root && git.readTree(root, options);
  const path = parseTreePath(folder);
  const entry = path && (await git.findPath(root, path));
  return entry?.type === 'tree' ? git.readTree(entry.id, options) : undefined;
}

/** The id of an existing object of the given type, or a refusal with the given message. */
async function getObject(
  git: GitRepository,
  sha: string,
  type: ObjectType,
  message: string,
): Promise<ObjectId> {
  const id = parseObjectId(sha);
  const info = id && (await git.objectInfo(id));
  return id && info?.type === type ? id : refuse({ kind: 'unprocessable', message });
}
