import { ownTurn } from '#platform/in-turns.ts';

import { accountsById, usersByEmail } from '../../accounts/account-store.ts';
import type { DiffStat } from '../../git/file-change.ts';
import { caseless, type Account } from '../../model/account.ts';
import type { UserCaller } from '../../model/caller.ts';
import { atLeast } from '../../model/permission.ts';
import type { Ports } from '../../ports/ports.ts';
import { permissionsIn } from '../../repositories/repository-access.ts';
import { type LanguageBytes, readLanguages } from '../../repositories/read-languages.ts';
import { unlessDeleted } from '../../repositories/get-repository.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import { plain, rendered } from '../../http/markup.ts';
import { followedAmong } from '../../follows/follow-store.ts';
import type { SshKey } from '../../model/ssh-key.ts';
import { sshKeysOfAccounts } from '../../ssh-keys/ssh-key-store.ts';
import { starsOf } from '../../stars/star-store.ts';
import {
  type RepositorySubscription,
  subscriptionsOf,
} from '../../subscriptions/subscription-store.ts';
import type { ReactionContent, ReactionSubject } from '../../model/reaction.ts';
import { type ReactionGroup, reactionGroups } from '../../reactions/reaction-store.ts';
import { createLoader } from '../engine/loader.ts';
import type { GraphqlContext } from './context.ts';
import type { Blame } from './blame-fields.ts';
import { createDiscussionLoaders, type DiscussionLoaders } from './discussion-loaders.ts';
import {
  accountSource,
  type AccountSource,
  type CommitSource,
  type ObjectSource,
  type RepositorySource,
} from './sources.ts';

function createMarkup(): Loaders['markup'] {
  const known = new Map<string, ReturnType<typeof markupOf>>();
  return (body) => {
    const made = known.get(body) ?? markupOf(body);
    known.set(body, made);
    return made;
  };
}

/** Many texts of one query leave time for everything else between them. */
async function markupOf(body: string): Promise<{ html: string; text: string }> {
  await ownTurn();
  return { html: rendered(body), text: plain(body) };
}

type CommitKey = Pick<CommitSource, 'at' | 'commit'>;

/** Batched reads, each of a fixed number of statements whatever the number of keys. */
export interface Loaders extends DiscussionLoaders {
  readonly account: (id: number) => Promise<AccountSource | null>;
  readonly userByEmail: (email: string) => Promise<AccountSource | null>;
  /** null for repositories that the caller may not see. */
  readonly repository: (id: number) => Promise<RepositorySource | null>;
  /** Whether the viewer has starred a repository, and whether it watches or ignores it. */
  readonly starred: (repositoryId: number) => Promise<boolean>;
  readonly subscription: (repositoryId: number) => Promise<RepositorySubscription | undefined>;
  readonly followed: (accountId: number) => Promise<boolean>;
  /** The public keys of an account. */
  readonly publicKeys: (accountId: number) => Promise<readonly SshKey[]>;
  /** The groups of reactions to something, by content; empty groups are absent. */
  readonly reactionGroupsOf: (
    subject: ReactionSubject,
  ) => Promise<ReadonlyMap<ReactionContent, ReactionGroup>>;
  /** The bytes of a blob that fits into memory. */
  readonly blob: (source: Pick<ObjectSource, 'at' | 'id'>) => Promise<Buffer | undefined>;
  /** A body as HTML and as plain text, rendered once whatever its aliases. */
  readonly markup: (body: string) => Promise<{ readonly html: string; readonly text: string }>;
  /** The languages of the default branch, most bytes first: its whole tree is read. */
  readonly languages: (at: RepositorySource) => Promise<readonly LanguageBytes[]>;
  /** What has been asked for, by repository, commit and path; undefined where there is no file. */
  readonly blames: Map<string, Promise<Blame | undefined>>;
  /** The changes of a commit since its first parent. */
  readonly commitStat: (source: CommitKey) => Promise<DiffStat>;
}

export function createLoaders(
  ports: Ports,
  caller: UserCaller,
  inSlot: GraphqlContext['inSlot'],
): Loaders {
  const { database } = ports;
  return {
    ...createDiscussionLoaders(ports, caller, inSlot),
    account: createLoader(identity, async (ids) => {
      const accounts = await database.read((sql) => accountsById(sql, ids));
      return (id) => sourceOf(accounts.get(id));
    }),
    userByEmail: createLoader(caseless, async (emails) => {
      const users = await database.read((sql) => usersByEmail(sql, emails));
      return (email) => sourceOf(users.get(caseless(email)));
    }),
    repository: createLoader(identity, async (ids) => {
      const [found, permissions] = await database.read(async (sql) => [
        await repositoriesById(sql, ids),
        await permissionsIn(sql, caller, ids),
      ]);
      return (id): RepositorySource | null => {
        const repository = found.get(id);
        const permission = permissions.get(id) ?? 'none';
        if (repository?.state !== 'ready' || !atLeast(permission, 'read')) return null;
        return { typeName: 'Repository', repository, permission };
      };
    }),
    starred: createLoader(identity, async (ids) => {
      const stars = await database.read((sql) => starsOf(sql, caller.account.id, ids));
      return (id) => stars.has(id);
    }),
    subscription: createLoader(identity, async (ids) => {
      const own = await database.read((sql) => subscriptionsOf(sql, caller.account.id, ids));
      return (id) => own.get(id);
    }),
    followed: createLoader(identity, async (ids) => {
      const followed = await database.read((sql) => followedAmong(sql, caller.account.id, ids));
      return (id) => followed.has(id);
    }),
    publicKeys: createLoader(identity, async (ids) => {
      const keys = await database.read((sql) => sshKeysOfAccounts(sql, ids));
      return (id) => keys.get(id) ?? [];
    }),
    reactionGroupsOf: createLoader(subjectKey, async (subjects) => {
      const found = new Map<string, ReadonlyMap<ReactionContent, ReactionGroup>>();
      await database.read(async (sql) => {
        for (const [kind, of] of Map.groupBy(subjects, (subject) => subject.kind)) {
          const ids = of.map(({ id }) => id);
          const groups = await reactionGroups(sql, kind, ids, caller.account.id);
          for (const [id, each] of groups) found.set(subjectKey({ kind, id }), each);
        }
      });
      return (subject) => found.get(subjectKey(subject)) ?? new Map();
    }),
    blob: createLoader(
      ({ at, id }) => `${at.repository.id} ${id}`,
      async (sources) => {
        const blobs = new Map<Pick<ObjectSource, 'at' | 'id'>, Buffer | undefined>();
        for (const source of sources) {
          const git = ports.git.repository(source.at.repository.id);
          blobs.set(source, await inSlot(() => git.readBlob(source.id)));
        }
        return (source) => blobs.get(source);
      },
    ),
    markup: createMarkup(),
    languages: createLoader(
      ({ repository }) => String(repository.id),
      async (sources) => {
        const found = new Map<RepositorySource, readonly LanguageBytes[]>();
        for (const source of sources) {
          const { id, defaultBranch } = source.repository;
          const read = (): Promise<readonly LanguageBytes[]> =>
            inSlot(() => readLanguages(ports.git.repository(id), defaultBranch));
          found.set(source, await unlessDeleted(database, id, read, () => []));
        }
        return (source) => found.get(source) ?? [];
      },
    ),
    blames: new Map(),
    commitStat: createCommitStat(ports, inSlot),
  };
}

function createCommitStat(ports: Ports, inSlot: GraphqlContext['inSlot']): Loaders['commitStat'] {
  return createLoader(
    ({ at, commit }) => `${at.repository.id} ${commit.id}`,
    async (sources) => {
      const stats = new Map<CommitKey, DiffStat>();
      // One after the other: each is a child of git.
      for (const source of sources) {
        const { at, commit } = source;
        const git = ports.git.repository(at.repository.id);
        stats.set(source, await inSlot(() => git.diffStat(commit.parents[0], commit.id)));
      }
      return (source) => stats.get(source) ?? { files: 0, additions: 0, deletions: 0 };
    },
  );
}

function subjectKey({ kind, id }: ReactionSubject): string {
  return `${kind} ${id}`;
}

function identity(id: number): number {
  return id;
}

function sourceOf(account: Account | undefined): AccountSource | null {
  return account ? accountSource(account) : null;
}
