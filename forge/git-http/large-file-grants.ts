import type { FastifyRequest } from 'fastify';

import { makeToken, sha256 } from '../auth/token.ts';
import { createUrls } from '../json/urls.ts';
import type { GitService } from '../git/git.ts';
import type { Authenticate } from '../http/authentication.ts';
import { GitRefusal } from '../http/from-git-error.ts';
import { findLfsGrant, insertGrant } from '../large-files/lfs-grant-store.ts';
import { fullName } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { sshKeyById } from '../ssh-keys/ssh-key-store.ts';
import { authorizeGit, type GitAuthorization, repositoryNamed } from './git-access.ts';
import { authorizeSsh } from './key-access.ts';

/** Validity of a header from `git-lfs-authenticate`, as long as GitHub's: clients that transfer for longer ask again. */
const grantSeconds = 600;

/** No access token has this scheme, and nothing but large files takes it: git sends it nowhere else. */
const scheme = 'RemoteAuth';

const grantForm = /^RemoteAuth (\S+)$/i;

export interface GrantRequest {
  readonly keyId: number;
  readonly repositoryId: number;
  readonly service: GitService;
}

/** What `git-lfs-authenticate` answers. */
export interface GrantAnswer {
  readonly href: string;
  readonly header: { readonly Authorization: string };
  readonly expires_in: number;
  readonly expires_at: string;
}

/** Opens the large files of a repository for some minutes to all who have the header; as long as the key may do the same. */
export async function grantLargeFiles(
  ports: Ports,
  { keyId, repositoryId, service }: GrantRequest,
): Promise<GrantAnswer> {
  const { clock, database, settings } = ports;
  const token = makeToken(ports.randomBytes(32));
  const now = clock.now();
  const expiresAt = now + grantSeconds * 1000;
  const writes = service === 'receive-pack';
  await database.write((sql) =>
    insertGrant(sql, { sha256: sha256(token), keyId, repositoryId, writes, expiresAt, now }),
  );
  const found = await database.read((sql) => repositoriesById(sql, [repositoryId]));
  const repository = found.get(repositoryId);
  if (!repository) throw new GitRefusal(404, 'Repository not found.');
  return {
    href: `${createUrls(settings.baseUrl).clone(fullName(repository))}/info/lfs`,
    header: { Authorization: `${scheme} ${token}` },
    expires_in: grantSeconds,
    expires_at: new Date(expiresAt).toISOString(),
  };
}

/**
 * The header that a client got over SSH: it sends it with the requests of the API, but with an action only if the action says so. Otherwise it
 * asks for a password.
 */
export function grantedHeader(
  request: FastifyRequest,
): { readonly header: { readonly Authorization: string } } | undefined {
  const { authorization } = request.headers;
  return authorization !== undefined && grantForm.test(authorization)
    ? { header: { Authorization: authorization } }
    : undefined;
}

/** Decides as for git, or by what was granted over SSH. */
export async function authorizeLargeFiles(
  request: FastifyRequest,
  service: GitService,
  ports: Ports,
  authenticate: Authenticate,
): Promise<GitAuthorization> {
  const [, token] = grantForm.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined) return authorizeGit(request, service, ports, authenticate);
  const { grant, key } = await ports.database.read(async (sql) => {
    const granted = await findLfsGrant(sql, sha256(token), ports.clock.now());
    return { grant: granted, key: granted && (await sshKeyById(sql, granted.keyId)) };
  });
  if (!grant || !key) throw new GitRefusal(401, 'What was granted over SSH has ended.');
  const authorization = await authorizeSsh(ports, key, repositoryNamed(request), service);
  const { repositoryId } = authorization;
  if (repositoryId !== grant.repositoryId) throw new GitRefusal(404, 'Repository not found.');
  if (service === 'receive-pack' && !grant.writes) {
    throw new GitRefusal(403, 'Only downloads were granted over SSH.');
  }
  return authorization;
}
