import Type, { type Static } from 'typebox';

import type { UserCaller } from '../model/caller.ts';
import { holdsAny } from '../model/scopes.ts';
import type { Account } from '../model/account.ts';
import type { RequestContext } from '../http/request-context.ts';
import { invalid, refuse } from '../errors/api-error.ts';
import { signatureOf } from '../accounts/signature.ts';
import { type BranchName, parseBranchName } from '../git/names.ts';
import type { NewRepository } from './create-repository.ts';
import {
  allowsSomeMerge,
  noMergeMethod,
  repositorySettingsShape,
  settingsOf,
} from './repository-input.ts';
import { readName } from './repository-name.ts';

/** The initial branch if the request names none. */
const defaultBranch = expectBranchName('main');

export const createRepositoryBody = Type.Object({
  ...repositorySettingsShape,
  name: Type.Optional(Type.String()),
  auto_init: Type.Optional(Type.Boolean()),
});

/** Reads the settings of a new repository, or refuses its name. */
export function readCreateRepositoryInput(
  request: Pick<RequestContext<UserCaller>, 'caller' | 'now' | 'zoneOffset'> & {
    readonly body: Static<typeof createRepositoryBody>;
  },
  owner: Account,
): NewRepository {
  const { body, caller, now } = request;
  if (body.name === undefined) {
    invalid({ resource: 'Repository', code: 'missing_field', field: 'name' });
  }
  const name = readName(body.name ?? '');
  const settings = settingsOf(body);
  if (!allowsSomeMerge(settings)) invalid(noMergeMethod);
  if (settings.private === true && !holdsAny(caller.scopes, ['repo'])) {
    refuse({
      kind: 'forbidden',
      message: 'A private repository needs a token with the repo scope.',
    });
  }
  return {
    owner,
    creator: caller.account,
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

function expectBranchName(text: string): BranchName {
  const name = parseBranchName(text);
  if (!name) throw new TypeError(`Not a branch name: ${text}`);
  return name;
}
