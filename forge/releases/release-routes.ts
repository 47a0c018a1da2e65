import { notFound } from '../errors/api-error.ts';
import {
  created,
  noContent,
  ok,
  page as pageResult,
  type EndpointResult,
} from '../http/endpoint-result.ts';
import type { Urls } from '../json/urls.ts';
import type { Release } from '../model/release.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { mayPush, mayRead } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { describeRelease, describeReleases } from './describe-releases.ts';
import {
  createReleaseBody,
  editReleaseBody,
  notesBody,
  readReleaseInput,
} from './release-input.ts';
import { generateNotes } from './release-notes.ts';
import { findRelease, findReleaseByTag, latestRelease, listReleases } from './release-store.ts';
import { seesDrafts, visibleRelease } from './visible-release.ts';
import { createRelease, editRelease, removeRelease } from './write-release.ts';

/** Releases. Drafts are seen by those who can push. Not cacheable: downloads are counted without invalidating anything. */
export const releaseRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-releases',
    method: 'GET',
    path: '/repos/:owner/:repo/releases',
    docs: 'releases#list-releases',
    acceptedScopes: 'repo',
    policy: mayRead,
    async handle({ page, caller, urls }, { repository }, { database }) {
      return database.read(async (sql) => {
        const withDrafts = await seesDrafts(sql, caller, repository);
        const { releases, total } = await listReleases(sql, repository.id, withDrafts, page);
        return pageResult(await describeReleases(sql, repository, releases, urls), total);
      });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-latest-release',
    method: 'GET',
    path: '/repos/:owner/:repo/releases/latest',
    docs: 'releases#get-the-latest-release',
    acceptedScopes: 'repo',
    policy: mayRead,
    async handle({ urls }, { repository }, { database }) {
      return database.read(async (sql) => {
        const release = await latestRelease(sql, repository.id);
        return release ? ok(await describeRelease(sql, repository, release, urls)) : notFound();
      });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-release-by-tag',
    method: 'GET',
    path: '/repos/:owner/:repo/releases/tags/*',
    docs: 'releases#get-a-release-by-tag-name',
    acceptedScopes: 'repo',
    policy: mayRead,
    async handle({ path, urls }, { repository }, { database }) {
      return database.read(async (sql) => {
        const release = await findReleaseByTag(sql, repository.id, path['*']);
        return release ? ok(await describeRelease(sql, repository, release, urls)) : notFound();
      });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-release',
    method: 'GET',
    path: '/repos/:owner/:repo/releases/:release_id',
    docs: 'releases#get-a-release',
    acceptedScopes: 'repo',
    policy: mayRead,
    async handle({ path, caller, urls }, { repository }, { database }) {
      return database.read(async (sql) => {
        const release = await visibleRelease(sql, caller, repository, path.release_id);
        return ok(await describeRelease(sql, repository, release, urls));
      });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/create-release',
    method: 'POST',
    path: '/repos/:owner/:repo/releases',
    docs: 'releases#create-a-release',
    policy: mayPush,
    body: createReleaseBody,
    async handle({ body, caller, urls, now }, { repository }, ports) {
      const input = { ...readReleaseInput(body), tagName: body.tag_name };
      const { targetCommitish = repository.defaultBranch } = input;
      const notes =
        body.generate_release_notes === true
          ? await generateNotes(ports, repository, { ...input, targetCommitish }, urls)
          : undefined;
      const written = notes ? { ...input, ...withNotes(input, notes) } : input;
      const release = await createRelease(ports, { repository, caller, now }, written);
      return described(ports, repository, release, urls, (shown) =>
        created(shown, urls.release(fullName(repository), release.id)),
      );
    },
  }),

  repositoryEndpoint({
    operation: 'repos/generate-release-notes',
    method: 'POST',
    path: '/repos/:owner/:repo/releases/generate-notes',
    docs: 'releases#generate-release-notes-content-for-a-release',
    policy: mayPush,
    body: notesBody,
    async handle({ body, urls }, { repository }, ports) {
      const { tagName = '', targetCommitish = repository.defaultBranch } = readReleaseInput({
        tag_name: body.tag_name,
        target_commitish: body.target_commitish ?? null,
      });
      const previousTagName = body.previous_tag_name ?? undefined;
      const input = { tagName, targetCommitish, previousTagName };
      return ok({ ...(await generateNotes(ports, repository, input, urls)) });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/update-release',
    method: 'PATCH',
    path: '/repos/:owner/:repo/releases/:release_id',
    docs: 'releases#update-a-release',
    policy: mayPush,
    body: editReleaseBody,
    async handle({ path, body, caller, urls, now }, { repository }, ports) {
      const input = readReleaseInput(body);
      const before =
        (await ports.database.read((sql) => findRelease(sql, repository.id, path.release_id))) ??
        notFound();
      const release = await editRelease(ports, { repository, caller, now }, before, input);
      return described(ports, repository, release, urls, ok);
    },
  }),

  repositoryEndpoint({
    operation: 'repos/delete-release',
    method: 'DELETE',
    path: '/repos/:owner/:repo/releases/:release_id',
    docs: 'releases#delete-a-release',
    policy: mayPush,
    async handle({ path, caller, now }, { repository }, ports) {
      const release =
        (await ports.database.read((sql) => findRelease(sql, repository.id, path.release_id))) ??
        notFound();
      await removeRelease(ports, { repository, caller, now }, release);
      return noContent();
    },
  }),
];

function described(
  { database }: Ports,
  repository: Repository,
  release: Release,
  urls: Urls,
  reply: (shown: Awaited<ReturnType<typeof describeRelease>>) => EndpointResult,
): Promise<EndpointResult> {
  return database.read(async (sql) => reply(await describeRelease(sql, repository, release, urls)));
}

/** The generated notes follow the text of the request. */
function withNotes(
  { name, body }: { readonly name?: string | null; readonly body?: string | null },
  notes: { readonly name: string; readonly body: string },
): { name: string; body: string } {
  const text = body ?? '';
  return { name: name || notes.name, body: text === '' ? notes.body : `${text}\n\n${notes.body}` };
}
