import type { FastifyRequest } from 'fastify';

import type { Sql } from '#platform/database/database.ts';

import type { Caller, UserCaller } from '../model/caller.ts';
import { reconciledRead } from '../auth/reconciled-read.ts';
import {
  type RepositoryAuthorization,
  authorizeRepository,
  mayPush,
  mayRead,
  type RepositoryLocator,
  type RepositoryPolicy,
} from '../repositories/repository-access.ts';
import {
  confirmCaller,
  type CredentialRefusal,
  type Authenticate,
  type Authentication,
} from '../http/authentication.ts';
import { renderRefusal } from '../errors/error-responses.ts';
import { refuse, RefusalError } from '../errors/api-error.ts';
import type { GitService } from '../git/git.ts';
import type { Ports } from '../ports/ports.ts';
import { mayPushAsMaintainer } from '../pulls/branches-of-pull.ts';
import { headsOpenToMaintainers } from '../pulls/pull-store.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { fullName } from '../model/repository.ts';
import { GitRefusal } from '../http/from-git-error.ts';

const policies: Readonly<Record<GitService, RepositoryPolicy>> = {
  'upload-pack': mayRead,
  'receive-pack': { ...mayPush, refusal: 'You can read this repository but not push to it.' },
};

export interface GitAuthorization {
  readonly repositoryId: number;
  readonly caller: Caller;
  /** Set when the caller may push to these branches only. */
  readonly onlyBranches?: readonly string[];
  /** A key of the repository itself: rules of branches know no user who is exempt from them. */
  readonly deployKey?: true;
  /** Refuses, by rights and credentials as they are by now, a push to these refs. */
  readonly authorizeAgain: (sql: Sql, refs: readonly string[]) => Promise<void>;
}

/** Who asks, and who that is by the time a push has arrived. */
export interface GitIdentity {
  readonly caller: Caller;
  /** Refuses credentials that are no longer valid. */
  readonly confirm: (sql: Sql) => Promise<UserCaller>;
}

/**
 * Applies the API's access rules (repositories/repository-access.ts) and responds as git clients expect: 401 with a challenge
 * if credentials could help, otherwise 403 or 404.
 */
export async function authorizeGit(
  request: FastifyRequest,
  service: GitService,
  ports: Ports,
  authenticate: Authenticate,
): Promise<GitAuthorization> {
  const authentication = await authenticate(request);
  if (authentication.refusal) throw refusalOfCredentials(authentication.refusal);
  const confirm = (sql: Sql): Promise<UserCaller> =>
    confirmOrRefuse(sql, authentication, ports.clock.now());
  const locator = repositoryNamed(request);
  const result = await authorizeCaller(ports, { ...authentication, confirm }, locator, service);
  return 'movedTo' in result ? redirect(request, ports, result.movedTo) : result;
}

/** The repository in the path of a request of git. */
export function repositoryNamed(request: FastifyRequest): { owner: string; name: string } {
  const name = parameter(request, 'repo').replace(/\.git$/, '');
  return { owner: parameter(request, 'owner'), name };
}

/** The decision for a caller, however it is connected; for a repository that was renamed, where it is now. */
export async function authorizeCaller(
  ports: Ports,
  { caller, confirm }: GitIdentity,
  locator: RepositoryLocator,
  service: GitService,
): Promise<GitAuthorization | { readonly movedTo: number }> {
  try {
    const { repositoryId } = await reconciledRead(ports, (sql) =>
      authorizeRepository(sql, caller, locator, policies[service]),
    );
    return {
      repositoryId,
      caller,
      authorizeAgain: async (sql) => {
        const present = await confirm(sql);
        await authorizeRepository(sql, present, { id: repositoryId }, policies[service]);
      },
    };
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    const { refusal } = error;
    if (refusal.kind === 'forbidden' && caller.kind === 'user' && service === 'receive-pack') {
      const { onlyBranches, repositoryId } = await reconciledRead(ports, (sql) =>
        branchesOpenTo(sql, caller, locator),
      );
      if (onlyBranches.length > 0) {
        return {
          repositoryId,
          caller,
          onlyBranches,
          authorizeAgain: async (sql, refs) => {
            const present = await confirm(sql);
            const open = await branchesOpenTo(sql, present, { id: repositoryId });
            // What was never open is refused by itself (`onlyBranches`).
            const closed = onlyBranches.filter((branch) => !open.onlyBranches.includes(branch));
            const namesClosed = closed.some((branch) => refs.includes(`refs/heads/${branch}`));
            // Objects of Git LFS name no ref: some branch must still be open.
            if (namesClosed || open.onlyBranches.length === 0) refuse({ kind: 'not-found' });
          },
        };
      }
    }
    if (refusal.kind === 'moved') return { movedTo: refusal.repositoryId };
    if (caller.kind === 'anonymous') throw new GitRefusal(401, 'Authentication required.');
    throw gitRefusalOf(error);
  }
}

/** 403 with the reason, or 404. */
export function gitRefusalOf({ refusal }: RefusalError): GitRefusal {
  if (refusal.kind === 'forbidden') return new GitRefusal(403, refusal.message);
  return new GitRefusal(404, 'Repository not found.');
}

async function confirmOrRefuse(
  sql: Sql,
  authentication: Authentication,
  now: number,
): Promise<UserCaller> {
  const caller = await confirmCaller(sql, authentication, now);
  if (caller?.kind === 'user') return caller;
  return refuse({ kind: 'bad-credentials' });
}

function refusalOfCredentials(refusal: CredentialRefusal): GitRefusal {
  switch (refusal.kind) {
    case 'bad-credentials':
    case 'invalid-jwt':
    case 'not-found':
      return new GitRefusal(401, 'Invalid username or password.');
    case 'suspended':
      return accountSuspended();
    case 'code-required':
      return new GitRefusal(
        401,
        'Your account uses two-factor authentication, which git does not support. Use a token instead of the password.',
      );
    case 'too-many-logins': {
      const { status, message } = renderRefusal(refusal);
      return new GitRefusal(status, message);
    }
  }
}

/** As the enterprise server says it to git. */
export function accountSuspended(): GitRefusal {
  return new GitRefusal(
    403,
    'Your account is suspended. Please check with your installation administrator.',
  );
}

/** git follows a redirect of its first request and sends the other requests to the new URL. */
async function redirect(
  request: FastifyRequest,
  ports: Ports,
  repositoryId: number,
): Promise<never> {
  const found = await ports.database.read((sql) => repositoriesById(sql, [repositoryId]));
  const repository = found.get(repositoryId);
  if (!repository) throw new GitRefusal(404, 'Repository not found.');
  const tail = (request.raw.url ?? '').replace(/^\/[^/]+\/[^/]+/, '');
  throw new GitRefusal(request.method === 'GET' ? 301 : 307, 'Moved', {
    location: `/${fullName(repository)}.git${tail}`,
  });
}

function parameter(request: FastifyRequest, name: string): string {
  const { params } = request;
  const value: unknown = typeof params === 'object' && params ? Reflect.get(params, name) : '';
  return typeof value === 'string' ? value : '';
}

/** Callers with push access to the base of a pull may push to its head if the author allows edits by maintainers. */
async function branchesOpenTo(
  sql: Sql,
  caller: UserCaller,
  locator: RepositoryLocator,
): Promise<RepositoryAuthorization & { readonly onlyBranches: readonly string[] }> {
  const authorization = await authorizeRepository(sql, caller, locator, mayRead);
  const onlyBranches: string[] = [];
  const headId = authorization.repositoryId;
  for (const { baseRepositoryId, branch } of await headsOpenToMaintainers(sql, headId)) {
    if (await mayPushAsMaintainer(sql, caller, baseRepositoryId, headId)) onlyBranches.push(branch);
  }
  return { ...authorization, onlyBranches };
}
