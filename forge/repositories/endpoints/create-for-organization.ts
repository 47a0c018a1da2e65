import { findAccount } from '../../accounts/account-store.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { created } from '../../http/reply.ts';
import { notFound } from '../../errors/api-error.ts';
import { createRepository } from '../create-repository.ts';
import { describeRepository } from '../describe-repository.ts';
import { requireMayCreateIn } from '../may-create-in.ts';
import { fullName } from '../../model/repository.ts';
import { readCreateRepositoryInput, createRepositoryBody } from '../create-repository-input.ts';

export const createForOrganization = userEndpoint({
  operation: 'repos/create-in-org',
  method: 'POST',
  path: '/orgs/:org/repos',
  docs: 'repos#create-an-organization-repository',
  acceptedScopes: 'public_repo, repo',
  scopes: ['public_repo', 'repo'],
  body: createRepositoryBody,
  async handle(request, ports) {
    const { caller, urls } = request;
    const organization = await ports.database.read(async (sql) => {
      const found = await findAccount(sql, request.path.org);
      if (found?.kind !== 'organization') return notFound();
      await requireMayCreateIn(sql, caller.account, found);
      return found;
    });
    const repository = await createRepository(
      ports,
      readCreateRepositoryInput(request, organization),
    );
    const body = await ports.database.read((sql) =>
      describeRepository(sql, repository, 'admin', caller, urls),
    );
    return created(body, urls.repository(fullName(repository)));
  },
});
