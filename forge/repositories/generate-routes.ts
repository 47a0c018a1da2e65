import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { findAccount } from '../accounts/account-store.ts';
import { signatureOf } from '../accounts/signature.ts';
import { invalid, refuse } from '../errors/api-error.ts';
import type { GitRepository } from '../git/git.ts';
import { type BranchName, branchRef, type ObjectId, parseBranchName } from '../git/names.ts';
import { created } from '../http/endpoint-result.ts';
import { nullable } from '../http/schemas.ts';
import type { Account } from '../model/account.ts';
import type { UserCaller } from '../model/caller.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { readCreateRepositoryInput } from './create-repository-input.ts';
import { createRepository, requireMayCreateIn } from './create-repository.ts';
import { describeRepository } from './describe-repository.ts';
import { mayRead } from './repository-access.ts';

const branchesPrefix = 'refs/heads/';

/** Repositories from templates. */
export const generateRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/create-using-template',
    method: 'POST',
    path: '/repos/:owner/:repo/generate',
    docs: 'repos#create-a-repository-using-a-template',
    // The template does not change.
    policy: { ...mayRead, changes: true, evenArchived: true },
    body: Type.Object({
      name: Type.Optional(Type.String()),
      owner: Type.Optional(Type.String()),
      description: Type.Optional(nullable(Type.String())),
      include_all_branches: Type.Optional(Type.Boolean()),
      private: Type.Optional(Type.Boolean()),
    }),
    async handle(request, { repository: template }, ports) {
      const { body, caller, now, urls } = request;
      const owner = await ports.database.read((sql) => ownerNamed(sql, caller, body.owner));
      const input = readCreateRepositoryInput(request, owner);
      if (!template.isTemplate) {
        const message = `${fullName(template)} is not a template repository.`;
        refuse({ kind: 'unprocessable', message });
      }
      const git = ports.git.repository(template.id);
      const branches = await branchesOf(git, template, body.include_all_branches === true);
      const [first] = branches;
      if (!first) refuse({ kind: 'unprocessable', message: 'The template has no branch.' });
      const repository = await createRepository(ports, {
        ...input,
        defaultBranch: first.name,
        template: {
          repositoryId: template.id,
          branches,
          signature: signatureOf(caller.account, now, request.zoneOffset(now)),
        },
      });
      const shown = await ports.database.read((sql) =>
        describeRepository(sql, repository, 'admin', caller, urls),
      );
      return created(shown, urls.repository(fullName(repository)));
    },
  }),
];

async function ownerNamed(
  sql: Sql,
  caller: UserCaller,
  login: string | undefined,
): Promise<Account> {
  if (login === undefined) return caller.account;
  const owner = await findAccount(sql, login);
  if (!owner) return invalid({ resource: 'Repository', field: 'owner', code: 'invalid' });
  await requireMayCreateIn(sql, caller.account, owner);
  return owner;
}

/** The default branch first; without it, nothing. */
async function branchesOf(
  git: GitRepository,
  { defaultBranch }: Repository,
  all: boolean,
): Promise<{ name: BranchName; tree: ObjectId }[]> {
  const usual = parseBranchName(defaultBranch);
  const tip = usual && (await git.readRef(branchRef(usual)));
  if (!tip) return [];
  const refs = all ? await git.listRefs(branchesPrefix) : [];
  const others = refs.flatMap(({ name, id }) => {
    const branch = parseBranchName(name.slice(branchesPrefix.length));
    return branch && branch !== usual ? [{ name: branch, id }] : [];
  });
  return Promise.all(
    [{ name: usual, id: tip }, ...others].map(async ({ name, id }) => {
      const commit = await git.readCommit(id);
      if (!commit) throw new Error(`commit ${id} of repository ${git.id} cannot be read`);
      return { name, tree: commit.tree };
    }),
  );
}
