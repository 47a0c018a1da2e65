import {
  createPushDeployment,
  deletePushDeployment as deletePushDeploymentOperation,
  listPushDeployments as listPushDeploymentsOperation,
} from '#functions-contract/operations/push-deployments.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import { present } from '#platform/present.ts';

import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import {
  bindOperation,
  type FunctionPorts,
  type CreateHandler,
  type OperationHandler,
} from '../http/call.ts';
import { pageOf, readNumberMarker } from '../json/paging.ts';
import type { DeployedBranches } from '../ports/deployed-branches.ts';
import type { SignedPrincipal } from '../signing/principal.ts';
import {
  deletePushDeployment,
  insertPushDeployment,
  listPushDeployments,
  type PushDeployment,
} from './push-deployment-store.ts';

/** Branches whose pushes deploy functions: each user's own, and all of the repositories that a user administers. */
export const pushDeploymentRoutes: readonly CreateHandler[] = [
  serveListPushDeployments,
  serveCreatePushDeployment,
  serveDeletePushDeployment,
];

type Listed = StructureOf<(typeof listPushDeploymentsOperation)['output']>;

function serveListPushDeployments(ports: FunctionPorts): OperationHandler {
  return bindOperation(
    listPushDeploymentsOperation,
    async (input, { principal }): Promise<Listed> => {
      const { userId } = requireUser(principal, 'ListPushDeployments');
      const branches = requireBranches(ports);
      const { Repository } = input;
      const of =
        Repository === undefined
          ? { userId }
          : { repositoryId: await administeredRepository(branches, Repository, userId) };
      const after = readNumberMarker(input.Marker);
      const page = await pageOf(
        input.MaxItems,
        (size) => ports.database.read((sql) => listPushDeployments(sql, of, { after, size })),
        ({ id }) => [String(id)],
      );
      const names = await branches.names(
        page.items.map(({ repositoryId }) => repositoryId),
        userId,
      );
      const PushDeployments = page.items.map((item) =>
        represent(item, names.get(item.repositoryId)),
      );
      return page.marker === undefined
        ? { PushDeployments }
        : { PushDeployments, NextMarker: page.marker };
    },
  );
}

type Created = StructureOf<(typeof createPushDeployment)['output']>;

function serveCreatePushDeployment(ports: FunctionPorts): OperationHandler {
  return bindOperation(createPushDeployment, async (input, { principal }): Promise<Created> => {
    const by = requireUser(principal, 'CreatePushDeployment');
    const branches = requireBranches(ports);
    const repository = await pushableRepository(branches, input.Repository, by.userId);
    const { Branch: branch } = input;
    if (!branches.isBranchName(branch)) {
      throw invalidParameter(`${branch} is not the name of a branch.`);
    }
    const folder = readFolder(input.Folder);
    const named = { repositoryId: repository.id, branch, folder };
    const inserted = await ports.database.write((sql) =>
      insertPushDeployment(sql, { ...named, ...by }, ports.clock.now()),
    );
    if (inserted === 'full') {
      throw new FunctionsError(
        'ResourceConflictException',
        `${repository.fullName} has as many push deployments as it may have. Delete one first.`,
      );
    }
    if (inserted === 'exists') {
      throw new FunctionsError(
        'ResourceConflictException',
        `Pushes to ${branch} of ${repository.fullName} already deploy the template of this folder.`,
      );
    }
    return represent({ ...named, last: undefined }, repository.fullName);
  });
}

function serveDeletePushDeployment(ports: FunctionPorts): OperationHandler {
  return bindOperation(
    deletePushDeploymentOperation,
    async ({ Repository, Branch, Folder }, { principal }): Promise<object> => {
      const { userId } = requireUser(principal, 'DeletePushDeployment');
      const folder = readFolder(Folder);
      const [owner = '', name = ''] = Repository.split('/');
      const found = await requireBranches(ports).find(owner, name, userId);
      // The caller who created it may have lost access to the repository.
      const { id } = found;
      const createdBy = found.kind === 'absent' || !found.administers ? userId : undefined;
      const deleted =
        id !== undefined &&
        (await ports.database.write((sql) =>
          deletePushDeployment(sql, { repositoryId: id, branch: Branch, folder }, createdBy),
        ));
      if (deleted) return {};
      throw new FunctionsError(
        'ResourceNotFoundException',
        `You have no push deployment of ${Branch} of ${Repository} with this folder.`,
      );
    },
  );
}

/** Deployments act for a user: they need one who can lose the access. */
function requireUser(
  principal: SignedPrincipal,
  operation: string,
): { readonly userId: number; readonly accessKeyId: string } {
  if (principal.kind === 'user') {
    return { userId: principal.forgeUserId, accessKeyId: principal.accessKeyId };
  }
  throw new FunctionsError(
    'AccessDeniedException',
    `User: ${principal.arn} is not authorized to perform: lambda:${operation}. It requires the access key of a user.`,
  );
}

function requireBranches({ branches }: FunctionPorts): DeployedBranches {
  if (branches) return branches;
  throw invalidParameter('This server has no repositories.');
}

async function pushableRepository(
  branches: DeployedBranches,
  fullName: string,
  userId: number,
): Promise<{ readonly id: number; readonly fullName: string }> {
  const [owner = '', name = ''] = fullName.split('/');
  const found = await branches.find(owner, name, userId);
  switch (found.kind) {
    case 'found':
      return found;
    case 'absent':
      throw new FunctionsError('ResourceNotFoundException', `Repository not found: ${fullName}`);
    case 'read-only':
      throw new FunctionsError(
        'AccessDeniedException',
        `You cannot push to ${fullName}. A deployment creates statuses, which requires that permission.`,
      );
  }
}

async function administeredRepository(
  branches: DeployedBranches,
  fullName: string,
  userId: number,
): Promise<number> {
  const [owner = '', name = ''] = fullName.split('/');
  const found = await branches.find(owner, name, userId);
  if (found.kind === 'absent') {
    throw new FunctionsError('ResourceNotFoundException', `Repository not found: ${fullName}`);
  }
  if (found.administers) return found.id;
  throw new FunctionsError(
    'AccessDeniedException',
    `You do not administer ${fullName}. Without a repository, your own push deployments are listed.`,
  );
}

/** Without slashes at its ends. */
function readFolder(folder = ''): string {
  const parts = folder.split('/').filter((part) => part !== '' && part !== '.');
  if (!parts.includes('..') && !folder.includes('\0')) return parts.join('/');
  throw invalidParameter('Folder must be a path below the root of the repository.');
}

function represent(
  { branch, folder, last }: Pick<PushDeployment, 'branch' | 'folder' | 'last'>,
  repository: string | undefined,
): Created {
  return {
    Branch: branch,
    Folder: folder,
    ...present({
      Repository: repository,
      // Empty where the branch could not be read.
      LastCommit: last?.commit === '' ? undefined : last?.commit,
      LastResult: last?.state,
      LastReason: last?.reason,
    }),
  };
}
