import { uniqueViolation } from '#platform/database/constraint-violation.ts';
import type { Sql } from '#platform/database/database.ts';
import { present } from '#platform/present.ts';

import { notFound, refuse } from '../errors/api-error.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import type { UserCaller } from '../model/caller.ts';
import { previousValues, type ReleaseChanged } from '../model/domain-event.ts';
import type { MakeLatest, Release } from '../model/release.ts';
import { type Repository, repositoryQueue } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { attemptsMax } from '../ref-updates/move-ref.ts';
import { type ReleaseInput, refuseTakenTag } from './release-input.ts';
import {
  deleteRelease,
  findRelease,
  insertRelease,
  latestRelease,
  type NewRelease,
  updateRelease,
} from './release-store.ts';
import { ensureTag } from './release-tag.ts';

/** Where a release is written, by whom and when. */
export interface ReleaseWrite {
  readonly repository: Repository;
  readonly caller: UserCaller;
  readonly now: number;
}

/** Creates a release; one that is no draft with its tag, which is in git before the release is in the database. */
export async function createRelease(
  ports: Ports,
  write: ReleaseWrite,
  input: ReleaseInput & { readonly tagName: string },
): Promise<Release> {
  const { repository, caller, now } = write;
  const { tagName, targetCommitish = repository.defaultBranch, draft = false } = input;
  const createdAt = draft ? now : await ensureTag(ports, { ...write, tagName, targetCommitish });
  const release: NewRelease = {
    repositoryId: repository.id,
    authorId: caller.account.id,
    tagName,
    targetCommitish,
    name: input.name ?? null,
    body: input.body ?? null,
    draft,
    prerelease: input.prerelease ?? false,
    latestAt: null,
    createdAt,
    publishedAt: draft ? null : now,
    updatedAt: now,
  };
  return writing(ports, write, async (sql) => {
    const latestAt = await latestAtOf(sql, release, input.makeLatest ?? 'true', now);
    const stored = { ...release, latestAt };
    const written = { ...stored, id: await insertRelease(sql, stored) };
    await emitReleaseEvent(sql, write, 'created', written);
    if (!draft) await emitPublished(sql, write, written);
    return written;
  });
}

/** Edits a release, publishes a draft, or makes a release a draft again. */
export async function editRelease(
  ports: Ports,
  write: ReleaseWrite,
  release: Release,
  input: ReleaseInput,
): Promise<Release> {
  let before = release;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const outcome = await tryEdit(ports, write, before, input);
    if (outcome.kind === 'written') return outcome.release;
    before = outcome.current;
  }
  return refuse({ kind: 'conflict', message: 'Concurrent changes to the release. Try again.' });
}

type EditOutcome =
  | { readonly kind: 'written'; readonly release: Release }
  /** Another request has edited it meanwhile, so that the tag that was ensured may be another one. */
  | { readonly kind: 'changed'; readonly current: Release };

async function tryEdit(
  ports: Ports,
  write: ReleaseWrite,
  before: Release,
  input: ReleaseInput,
): Promise<EditOutcome> {
  const { now } = write;
  const { makeLatest, ...changed } = input;
  const edited: Release = { ...before, ...changed, updatedAt: now };
  const needsTag = !edited.draft && (before.draft || edited.tagName !== before.tagName);
  const createdAt = needsTag ? await ensureTag(ports, { ...write, ...edited, now }) : undefined;
  return writing(ports, write, async (sql) => {
    const current = (await findRelease(sql, before.repositoryId, before.id)) ?? notFound();
    if (current.draft !== before.draft || current.tagName !== before.tagName) {
      return { kind: 'changed', current };
    }
    const next: Release = {
      ...current,
      ...changed,
      updatedAt: now,
      ...present({ createdAt }),
      publishedAt: edited.draft ? null : (current.publishedAt ?? now),
    };
    const latestAt = await editedLatestAt(sql, current, next, makeLatest, now);
    const written = { ...next, latestAt };
    await updateRelease(sql, written);
    await emitEdit(sql, write, current, written);
    return { kind: 'written', release: written };
  });
}

/** Deletes a release and its assets. Its tag stays. */
export async function removeRelease(
  ports: Ports,
  write: ReleaseWrite,
  release: Release,
): Promise<void> {
  await writing(ports, write, async (sql) => {
    if (!(await deleteRelease(sql, release.id))) notFound();
    await emitReleaseEvent(sql, write, 'deleted', release, { last: release });
  });
}

/** No cached response shows a release, so none is invalidated. */
function writing<T>(
  { database }: Ports,
  { repository }: ReleaseWrite,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  return database
    .write(work, { queue: repositoryQueue(repository.id) })
    .catch((error: unknown) => (uniqueViolation(error) ? refuseTakenTag() : Promise.reject(error)));
}

/** When the release became the latest one: later than any other, even if the clock stands still. */
async function latestAtOf(
  sql: Sql,
  release: NewRelease,
  makeLatest: MakeLatest,
  now: number,
): Promise<number | null> {
  if (release.draft || release.prerelease || makeLatest === 'false') return null;
  const latest = await latestRelease(sql, release.repositoryId);
  if (makeLatest === 'legacy' && latest && latest.createdAt > release.createdAt) return null;
  return Math.max(now, (latest?.latestAt ?? 0) + 1);
}

/** One that becomes a published release also becomes the latest one, if nothing else is asked for. */
async function editedLatestAt(
  sql: Sql,
  before: Release,
  after: Release,
  makeLatest: MakeLatest | undefined,
  now: number,
): Promise<number | null> {
  if (after.draft || after.prerelease) return null;
  const appears = before.draft || before.prerelease;
  if (makeLatest === undefined && !appears) return before.latestAt;
  return latestAtOf(sql, after, makeLatest ?? 'true', now);
}

async function emitEdit(
  sql: Sql,
  write: ReleaseWrite,
  before: Release,
  after: Release,
): Promise<void> {
  if (before.draft && !after.draft) return emitPublished(sql, write, after);
  if (!before.draft && after.draft) return emitReleaseEvent(sql, write, 'unpublished', after);
  const changes = previousValues(textsOf(before), textsOf(after), ['tag_name', 'name', 'body']);
  if (changes) await emitReleaseEvent(sql, write, 'edited', after, { changes });
  if (after.draft || before.prerelease === after.prerelease) return undefined;
  return emitReleaseEvent(sql, write, after.prerelease ? 'prereleased' : 'released', after);
}

async function emitPublished(sql: Sql, write: ReleaseWrite, release: Release): Promise<void> {
  await emitReleaseEvent(sql, write, 'published', release);
  await emitReleaseEvent(sql, write, release.prerelease ? 'prereleased' : 'released', release);
}

async function emitReleaseEvent(
  sql: Sql,
  { repository, caller, now }: ReleaseWrite,
  action: ReleaseChanged['action'],
  { id: releaseId }: Release,
  more: Pick<ReleaseChanged, 'changes' | 'last'> = {},
): Promise<void> {
  const event = { event: 'release', action, releaseId, actorId: caller.account.id } as const;
  await emitEvent(sql, repository.id, { ...event, ...more }, now);
}

function textsOf({ tagName, name, body }: Release): {
  tag_name: string;
  name: string | null;
  body: string | null;
} {
  return { tag_name: tagName, name, body };
}
