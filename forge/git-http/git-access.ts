import type { FastifyRequest } from 'fastify';

import {
  type Admission,
  admit,
  mayPush,
  mayRead,
  type RepositoryNeed,
} from '../access/repository-access.ts';
import type { VerifiedPasswords } from '../access/verified-passwords.ts';
import { identify } from '../conventions/authentication.ts';
import { RefusalError } from '../conventions/refusal.ts';
import type { GitService } from '../git/git.ts';
import type { Ports } from '../ports.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { fullName } from '../repositories/repository.ts';
import { GitRefusal } from './git-refusal.ts';

const needs: Readonly<Record<GitService, RepositoryNeed>> = {
  'upload-pack': mayRead,
  'receive-pack': { ...mayPush, refusal: 'You may read this repository but not push to it.' },
};

/**
 * Decides with the API's own rule (access/repository-access.ts) and says it as git clients need it: 401 with a challenge
 * while credentials could still help, then 403 or 404.
 */
export async function admitToGit(
  request: FastifyRequest,
  service: GitService,
  ports: Ports,
  verified: VerifiedPasswords,
): Promise<Admission> {
  const [owner, repo] = [parameter(request, 'owner'), parameter(request, 'repo')];
  const identity = await identify(request.headers.authorization, ports, verified);
  if (identity.bad) throw new GitRefusal(401, 'Invalid username or password.');
  const { caller } = identity;
  const locator = { owner, name: repo.replace(/\.git$/, '') };
  try {
    return await ports.database.read((sql) => admit(sql, caller, locator, needs[service]));
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    const { refusal } = error;
    if (refusal.kind === 'moved') return redirect(request, ports, refusal.repositoryId);
    if (caller.kind === 'anonymous') throw new GitRefusal(401, 'Authentication required.');
    if (refusal.kind === 'forbidden') throw new GitRefusal(403, refusal.message);
    throw new GitRefusal(404, 'Repository not found.');
  }
}

/** git follows a redirect of its first request and asks the rest at the new address. */
async function redirect(
  request: FastifyRequest,
  ports: Ports,
  repositoryId: number,
): Promise<never> {
  const found = await ports.database.read((sql) => repositoriesById(sql, [repositoryId]));
  const repository = found.get(repositoryId);
  if (!repository) throw new GitRefusal(404, 'Repository not found.');
  const tail = (request.raw.url ?? '').replace(/^\/[^/]+\/[^/]+/, '');
  throw new GitRefusal(
    request.method === 'GET' ? 301 : 307,
    'Moved',
    `/${fullName(repository)}.git${tail}`,
  );
}

function parameter(request: FastifyRequest, name: string): string {
  const { params } = request;
  const value: unknown = typeof params === 'object' && params ? Reflect.get(params, name) : '';
  return typeof value === 'string' ? value : '';
}
