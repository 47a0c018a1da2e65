import Type from 'typebox';

import { getCommit } from '../commits/resolve-revision.ts';
import { refuse, notFound } from '../errors/api-error.ts';
import { decodeBase64 } from '../git-data/base64.ts';
import { representGitCommit } from '../git-data/git-object-json.ts';
import { contentBodyBytesMax } from '../git-data/object-input.ts';
import type { GitRepository } from '../git/git.ts';
import { created, ok } from '../http/endpoint-result.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { personSchema, readPeople } from '../repositories/commit-people.ts';
import { mayRead, mayPush } from '../repositories/repository-access.ts';
import { licenseOfFile } from '../repositories/read-license.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { representLicenseOf } from '../templates/license-json.ts';
import { contentResponse, fileResponse, contentSource } from './content-response.ts';
import { changeFile, type ChangedFile } from './change-file.ts';
import { representEntry } from './content-json.ts';
import { findLicenseFile, findReadme } from './find-content.ts';

/** Files and folders of a repository. */
export const contentRoutes: readonly Endpoint[] = [
  /** The root's path is empty, with or without a slash after `contents`. */
  repositoryEndpoint({
    operation: 'repos/get-content',
    method: 'GET',
    path: '/repos/:owner/:repo/contents',
    docs: 'repos#get-repository-content',
    policy: mayRead,
    formats: ['raw', 'html'],
    cacheable: true,
    handle({ query, media, urls }, { repository }, { git }) {
      return contentResponse(git, { repository, path: '', query, format: media.format, urls });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-content',
    method: 'GET',
    path: '/repos/:owner/:repo/contents/*',
    docs: 'repos#get-repository-content',
    policy: mayRead,
    formats: ['raw', 'html'],
    cacheable: true,
    handle({ path, query, media, urls }, { repository }, { git }) {
      const requested = path['*'].replaceAll(/^\/+|\/+$/g, '');
      return contentResponse(git, {
        repository,
        path: requested,
        query,
        format: media.format,
        urls,
      });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/create-or-update-file-contents',
    method: 'PUT',
    path: '/repos/:owner/:repo/contents/*',
    docs: 'repos#create-or-update-file-contents',
    policy: mayPush,
    bodyBytesMax: contentBodyBytesMax,
    body: Type.Object({
      message: Type.String(),
      content: Type.String(),
      sha: Type.Optional(Type.String()),
      branch: Type.Optional(Type.String()),
      author: personSchema,
      committer: personSchema,
    }),
    async handle(request, { repository }, ports) {
      const { path, body, caller, urls, now } = request;
      const content =
        decodeBase64(body.content) ??
        refuse({ kind: 'unprocessable', message: 'content is not valid Base64' });
      const changed = await changeFile(ports, {
        repository,
        caller,
        path: path['*'],
        branch: body.branch,
        message: body.message,
        ...readPeople(body, caller.account, request),
        sha: body.sha,
        content,
        now,
      });
      const git = ports.git.repository(repository.id);
      const response = await describeChange(git, changed, content.length, repository, urls);
      if (!changed.created) return ok(response);
      return created(response, urls.contents(fullName(repository), changed.path, changed.branch));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/delete-file',
    method: 'DELETE',
    path: '/repos/:owner/:repo/contents/*',
    docs: 'repos#delete-a-file',
    policy: mayPush,
    body: Type.Object({
      message: Type.String(),
      sha: Type.String(),
      branch: Type.Optional(Type.String()),
      author: personSchema,
      committer: personSchema,
    }),
    async handle(request, { repository }, ports) {
      const { path, body, caller, urls, now } = request;
      const changed = await changeFile(ports, {
        repository,
        caller,
        path: path['*'],
        branch: body.branch,
        message: body.message,
        ...readPeople(body, caller.account, request),
        sha: body.sha,
        content: null,
        now,
      });
      const git = ports.git.repository(repository.id);
      return ok(await describeChange(git, changed, 0, repository, urls));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-readme',
    method: 'GET',
    path: '/repos/:owner/:repo/readme',
    docs: 'repos#get-a-repository-readme',
    policy: mayRead,
    formats: ['raw', 'html'],
    cacheable: true,
    async handle({ query, media, urls }, { repository }, ports) {
      const git = ports.git.repository(repository.id);
      const { ref, commit } = await contentSource(git, repository, query);
      const name = fullName(repository);
      const readme = (await findReadme(git, commit, urls.clone(name))) ?? notFound();
      return fileResponse(git, readme, media.format, { fullName: name, ref, urls });
    },
  }),

  repositoryEndpoint({
    operation: 'licenses/get-for-repo',
    method: 'GET',
    path: '/repos/:owner/:repo/license',
    docs: 'licenses#get-the-license-for-a-repository',
    policy: mayRead,
    formats: ['raw', 'html'],
    cacheable: true,
    async handle({ query, media, urls }, { repository }, ports) {
      const git = ports.git.repository(repository.id);
      const { ref, commit } = await contentSource(git, repository, query);
      const file = (await findLicenseFile(git, commit)) ?? notFound();
      const location = { fullName: fullName(repository), ref, urls };
      const license = representLicenseOf(await licenseOfFile(git, file), urls);
      return fileResponse(git, file, media.format, location, { license });
    },
  }),
];

/** A changed file and its commit; `content` is null when the file is gone. */
async function describeChange(
  git: GitRepository,
  changed: ChangedFile,
  size: number,
  repository: Repository,
  urls: Urls,
): Promise<{ content: { [field: string]: Json } | null; commit: Json }> {
  const { path, blob, branch } = changed;
  const commit = await getCommit(git, changed.commit);
  const location = { fullName: fullName(repository), ref: branch, urls };
  return {
    content: blob ? representEntry({ kind: 'file', path, id: blob, size }, location) : null,
    commit: representGitCommit(commit, repository, urls),
  };
}
