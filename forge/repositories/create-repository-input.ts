import Type, { type Static } from 'typebox';

import type { UserCaller } from '../model/caller.ts';
import { holdsAny } from '../model/scopes.ts';
import type { Account } from '../model/account.ts';
import type { RequestContext } from '../http/request-context.ts';
import { nullable } from '../http/schemas.ts';
import { invalid, refuse } from '../errors/api-error.ts';
import { signatureOf } from '../accounts/signature.ts';
import { type BranchName, parseBranchName } from '../git/names.ts';
import { gitignoreTemplate } from '../templates/gitignore-templates.ts';
import { licenseByKey } from '../templates/license-table.ts';
import { filledLicense } from '../templates/license-texts.ts';
import type { FirstFile, NewRepository } from './create-repository.ts';
import {
  allowsSomeMerge,
  noMergeMethod,
  repositorySettingsSchema,
  settingsOf,
} from './repository-input.ts';
import { readName } from './repository-name.ts';

/** The initial branch if the request names none. */
const defaultBranch = expectBranchName('main');

export const createRepositoryBody = Type.Object({
  ...repositorySettingsSchema,
  name: Type.Optional(Type.String()),
  auto_init: Type.Optional(Type.Boolean()),
  gitignore_template: Type.Optional(nullable(Type.String())),
  license_template: Type.Optional(nullable(Type.String())),
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
  const files = firstFiles(body, name, owner, now);
  return {
    owner,
    creator: caller.account,
    name,
    description: body.description ?? null,
    homepage: body.homepage ?? null,
    private: settings.private ?? false,
    defaultBranch,
    settings,
    firstCommit:
      files.length > 0
        ? { files, signature: signatureOf(caller.account, now, request.zoneOffset(now)) }
        : undefined,
    now,
  };
}

/** The files of the first commit; none: there is no commit. */
function firstFiles(
  body: Static<typeof createRepositoryBody>,
  name: string,
  owner: Account,
  now: number,
): FirstFile[] {
  const files: FirstFile[] = [];
  if (body.auto_init === true) {
    const lines = [`# ${name}`, ...(body.description ? [body.description] : [])];
    files.push({ path: 'README.md', text: `${lines.join('\n')}\n` });
  }
  if (body.gitignore_template) {
    const text = gitignoreTemplate(body.gitignore_template);
    files.push({ path: '.gitignore', text: text ?? refuseTemplate('gitignore_template') });
  }
  if (body.license_template) {
    const license = licenseByKey(body.license_template) ?? refuseTemplate('license_template');
    const year = new Date(now).getUTCFullYear();
    files.push({ path: 'LICENSE', text: filledLicense(license, owner.name ?? owner.login, year) });
  }
  return files;
}

function refuseTemplate(field: 'gitignore_template' | 'license_template'): never {
  const list = field === 'license_template' ? '/licenses' : '/gitignore/templates';
  const message = `There is no such template. GET ${list} lists them.`;
  return invalid({ resource: 'Repository', field, code: 'invalid', message });
}

function expectBranchName(text: string): BranchName {
  const name = parseBranchName(text);
  if (!name) throw new TypeError(`Not a branch name: ${text}`);
  return name;
}
