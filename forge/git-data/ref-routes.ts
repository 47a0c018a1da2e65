import Type from 'typebox';

import { notFound } from '../errors/api-error.ts';
import type { Ref, GitRepository } from '../git/git.ts';
import { parseRefName } from '../git/names.ts';
import type { Page } from '../http/pagination.ts';
import {
  ok,
  created,
  noContent,
  page as pageResult,
  type EndpointResult,
} from '../http/endpoint-result.ts';
import { nullable } from '../http/schemas.ts';
import type { Urls } from '../json/urls.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { mayRead, mayPush } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { representTagRef } from './git-object-json.ts';
import { parseSha } from './object-input.ts';
import { representRef } from './ref-json.ts';
import { createRef, updateRef, deleteRef } from './write-ref.ts';

/** Git references, and tags as a list. */
export const refRoutes: readonly Endpoint[] = [
  /** The older path of all refs. */
  repositoryEndpoint({
    operation: 'git/list-refs',
    method: 'GET',
    path: '/repos/:owner/:repo/git/refs',
    docs: 'git#list-matching-references',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ page, urls }, { repository }, { git }) {
      const refs = await git.repository(repository.id).listRefs('refs/');
      return pageOfRefs(refs, page, repository, urls);
    },
  }),

  /** matching-refs without a name to match: all refs, those of pulls included. */
  repositoryEndpoint({
    operation: 'git/list-matching-refs',
    method: 'GET',
    path: '/repos/:owner/:repo/git/matching-refs',
    docs: 'git#list-matching-references',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ page, urls }, { repository }, { git }) {
      const refs = await git.repository(repository.id).listRefs('refs/');
      return pageOfRefs(refs, page, repository, urls);
    },
  }),

  /** All refs whose names begin with the prefix, which need not end at a slash. */
  repositoryEndpoint({
    operation: 'git/list-matching-refs',
    method: 'GET',
    path: '/repos/:owner/:repo/git/matching-refs/*',
    docs: 'git#list-matching-references',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ path, page, urls }, { repository }, { git }) {
      const refs = await git.repository(repository.id).listRefs(`refs/${path['*']}`);
      return pageOfRefs(refs, page, repository, urls);
    },
  }),

  /** The older path of a ref: the one of this name, or else all whose names begin so. */
  repositoryEndpoint({
    operation: 'git/list-refs-or-get',
    method: 'GET',
    path: '/repos/:owner/:repo/git/refs/*',
    docs: 'git#get-a-reference',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ path, page, urls }, { repository }, ports) {
      const git = ports.git.repository(repository.id);
      const exact = await findRef(git, path['*']);
      if (exact) return ok(representRef(exact, repository, urls));
      const refs = await git.listRefs(`refs/${path['*']}`);
      return refs.length === 0 ? notFound() : pageOfRefs(refs, page, repository, urls);
    },
  }),

  repositoryEndpoint({
    operation: 'git/get-ref',
    method: 'GET',
    path: '/repos/:owner/:repo/git/ref/*',
    docs: 'git#get-a-reference',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ path, urls }, { repository }, { git }) {
      const ref = (await findRef(git.repository(repository.id), path['*'])) ?? notFound();
      return ok(representRef(ref, repository, urls));
    },
  }),

  repositoryEndpoint({
    operation: 'git/create-ref',
    method: 'POST',
    path: '/repos/:owner/:repo/git/refs',
    docs: 'git#create-a-reference',
    acceptedScopes: 'repo',
    policy: mayPush,
    body: Type.Object({ ref: Type.String(), sha: Type.String() }),
    async handle({ body, caller, urls, now }, { repository }, ports) {
      const sha = parseSha(body.sha, 'sha');
      const ref = await createRef(ports, { repository, caller, name: body.ref, sha, now });
      return created(
        representRef(ref, repository, urls),
        urls.gitRef(fullName(repository), ref.name),
      );
    },
  }),

  repositoryEndpoint({
    operation: 'git/update-ref',
    method: 'PATCH',
    path: '/repos/:owner/:repo/git/refs/*',
    docs: 'git#update-a-reference',
    acceptedScopes: 'repo',
    policy: mayPush,
    body: Type.Object({ sha: Type.String(), force: Type.Optional(nullable(Type.Boolean())) }),
    async handle({ path, body, caller, urls, now }, { repository }, ports) {
      const ref = await updateRef(ports, {
        repository,
        caller,
        name: `refs/${path['*']}`,
        sha: parseSha(body.sha, 'sha'),
        force: body.force ?? false,
        now,
      });
      return ok(representRef(ref, repository, urls));
    },
  }),

  repositoryEndpoint({
    operation: 'git/delete-ref',
    method: 'DELETE',
    path: '/repos/:owner/:repo/git/refs/*',
    docs: 'git#delete-a-reference',
    acceptedScopes: 'repo',
    policy: mayPush,
    async handle({ path, caller, now }, { repository }, ports) {
      await deleteRef(ports, { repository, caller, name: `refs/${path['*']}`, now });
      return noContent();
    },
  }),

  repositoryEndpoint({
    operation: 'repos/list-tags',
    method: 'GET',
    path: '/repos/:owner/:repo/tags',
    docs: 'repos#list-repository-tags',
    policy: mayRead,
    cacheable: true,
    async handle({ page, urls }, { repository }, { git }) {
      const tags = await tagsOfCommits(git.repository(repository.id));
      const shown = tags.slice(page.offset, page.offset + page.size);
      return pageResult(
        shown.map((tag) => representTagRef(tag, repository, urls)),
        tags.length,
      );
    },
  }),
];

/** One page of refs. */
function pageOfRefs(
  refs: readonly Ref[],
  page: Page,
  repository: Repository,
  urls: Urls,
): EndpointResult {
  const shown = refs.slice(page.offset, page.offset + page.size);
  return pageResult(
    shown.map((ref) => representRef(ref, repository, urls)),
    refs.length,
  );
}

/** The ref of exactly this name, as a path has it: `heads/main`. What only the server knows of is not there. */
async function findRef(
  git: GitRepository,
  tail: string,
): Promise<Pick<Ref, 'name' | 'id' | 'type'> | undefined> {
  const name = tail.startsWith('internal/') ? undefined : parseRefName(`refs/${tail}`);
  const id = name && (await git.readRef(name));
  const info = id && (await git.objectInfo(id));
  return name && id && info && { name, id, type: info.type };
}

/** The tags that name commits, directly or through tag objects, last names first. */
async function tagsOfCommits(git: GitRepository): Promise<Ref[]> {
  const tags = await git.listRefs('refs/tags/');
  const types = await Promise.all(
    tags.map(async ({ type, peeled }) =>
      type === 'tag' ? (await git.objectInfo(peeled))?.type : type,
    ),
  );
  return tags.filter((_, index) => types[index] === 'commit').toReversed();
}
