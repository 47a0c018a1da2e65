import Type, { type Static } from 'typebox';

import type { Account } from '../accounts/account.ts';
import type { EndpointRequest } from '../conventions/endpoint.ts';
import { type FieldError, invalid } from '../conventions/refusal.ts';
import { signatureOf } from '../accounts/signature.ts';
import type { BranchName } from '../git/names.ts';
import type { RepositoryWish } from './create-repository.ts';
import { repositorySettingsShape, settingsOf } from './repository-body.ts';
import { repositoryName } from './repository.ts';
import type { UserCaller } from '../access/caller.ts';

/** What git calls a first branch when nobody says otherwise. */
const defaultBranch = 'main' as BranchName;

export const repositoryWishBody = Type.Object({
  ...repositorySettingsShape,
  name: Type.Optional(Type.String()),
  auto_init: Type.Optional(Type.Boolean()),
});

/** Reads what a new repository shall be, or refuses its name. */
export function readWish(
  request: Pick<
    EndpointRequest<string, Static<typeof repositoryWishBody>, UserCaller>,
    'body' | 'caller' | 'now' | 'zoneOffset'
  >,
  owner: Account,
): RepositoryWish {
  const { body, caller, now } = request;
  if (body.name === undefined) invalid(nameError('missing_field'));
  const name = repositoryName(body.name ?? '');
  if (name === undefined) {
    return invalid({
      ...nameError('custom'),
      message: 'name must have 1 to 100 letters, digits, dashes, dots or underscores',
    });
  }
  const settings = settingsOf(body);
  return {
    owner,
    name,
    description: body.description ?? null,
    homepage: body.homepage ?? null,
    private: settings.private ?? false,
    defaultBranch,
    settings,
    firstCommit: body.auto_init
      ? signatureOf(caller.account, now, request.zoneOffset(now))
      : undefined,
    now,
  };
}

function nameError(code: FieldError['code']): FieldError {
  return { resource: 'Repository', code, field: 'name' };
}
