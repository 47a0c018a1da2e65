import { reconciledRead } from '../auth/reconciled-read.ts';
import { RefusalError } from '../errors/api-error.ts';
import { branchRef, parseBranchName } from '../git/names.ts';
import { refusalOfError } from '../http/from-git-error.ts';
import { descriptionLengthMax } from '../model/commit-status.ts';
import { atLeast, type Permission } from '../model/permission.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { locateByName } from '../permissions/access-store.ts';
import type { Ports } from '../ports/ports.ts';
import { accountPermissionIn } from '../repositories/repository-access.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { createStatus } from '../statuses/create-status.ts';

/** Branches whose pushes deploy functions. `hob serve` connects the function service to it. */
export interface DeployedBranches {
  find(owner: string, name: string, userId: number): Promise<PushableRepository>;
  names(ids: readonly number[], userId: number): Promise<ReadonlyMap<number, string>>;
  isBranchName(name: string): boolean;
  tip(repositoryId: number, branch: string, userId: number): Promise<BranchTip>;
  setStatus(repositoryId: number, userId: number, status: DeploymentStatus): Promise<void>;
}

type PushableRepository =
  | {
      readonly kind: 'found' | 'read-only';
      readonly id: number;
      readonly fullName: string;
      readonly administers: boolean;
    }
  | { readonly kind: 'absent'; readonly id: number | undefined };

type BranchTip =
  | { readonly kind: 'tip'; readonly owner: string; readonly name: string; readonly commit: string }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'gone'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly message: string };

interface DeploymentStatus {
  readonly commit: string;
  readonly context: string;
  readonly state: 'pending' | 'success' | 'failure';
  readonly description: string;
}

type BranchPorts = Pick<Ports, 'clock' | 'database' | 'git' | 'reconciliation'>;

/** To deploy from a branch takes what a status takes: the permission to push. */
export function createDeployedBranches(ports: BranchPorts): DeployedBranches {
  const { clock, database, git } = ports;
  return {
    async find(owner, name, userId) {
      const located = await database.read((sql) => locateByName(sql, owner, name, userId));
      const access = located && (await accessTo(ports, located.id, userId));
      if (!access || !atLeast(access.permission, 'read')) {
        return { kind: 'absent', id: located?.id };
      }
      const { repository, permission } = access;
      const kind = atLeast(permission, 'write') ? 'found' : 'read-only';
      const administers = atLeast(permission, 'admin');
      return { kind, id: repository.id, fullName: fullName(repository), administers };
    },

    async names(ids, userId) {
      const names = new Map<number, string>();
      for (const id of new Set(ids)) {
        const access = await accessTo(ports, id, userId);
        if (access && atLeast(access.permission, 'read'))
          names.set(id, fullName(access.repository));
      }
      return names;
    },

    isBranchName: (name) => parseBranchName(name) !== undefined,

    async tip(repositoryId, branch, userId) {
      const name = parseBranchName(branch);
      try {
        const access = await accessTo(ports, repositoryId, userId);
        if (!access || !atLeast(access.permission, 'write')) return { kind: 'forbidden' };
        const commit = name && (await git.repository(repositoryId).readRef(branchRef(name)));
        if (!commit) return { kind: 'gone', reason: `The branch ${branch} does not exist.` };
        const { owner, name: repository } = access.repository;
        return { kind: 'tip', owner: owner.login, name: repository, commit };
      } catch (error) {
        const refusal = refusalOfError(error);
        if (refusal?.kind === 'unavailable') return refusal;
        throw error;
      }
    },

    async setStatus(repositoryId, userId, { commit, context, state, description }) {
      const input = { state, context, targetUrl: null, description: shortened(description) };
      const now = clock.now();
      try {
        await createStatus(
          { database, git },
          { input, repositoryId, revision: commit, creatorId: userId, now },
        );
      } catch (error) {
        // The commit is gone, or has too many statuses: nothing depends on this one.
        if (!(error instanceof RefusalError)) throw error;
      }
    },
  };
}

interface Access {
  readonly repository: Repository;
  readonly permission: Permission;
}

async function accessTo(
  ports: BranchPorts,
  repositoryId: number,
  userId: number,
): Promise<Access | undefined> {
  const { access } = await reconciledRead(ports, async (sql) => {
    const repository = (await repositoriesById(sql, [repositoryId])).get(repositoryId);
    const permission = await accountPermissionIn(sql, userId, repositoryId);
    return {
      access: repository && { repository, permission },
      networkId: repository?.networkId,
    };
  });
  return access;
}

function shortened(text: string): string {
  // A character has at most two code units.
  const characters = Array.from(text.slice(0, 2 * (descriptionLengthMax + 1)));
  if (characters.length <= descriptionLengthMax) return text;
  return `${characters.slice(0, descriptionLengthMax - 1).join('')}…`;
}
