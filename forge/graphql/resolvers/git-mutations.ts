import { branchRef, parseBranchName, parseObjectId } from '../../git/names.ts';
import { decodeBase64 } from '../../git-data/base64.ts';
import { commitOnBranch, type FileAddition } from '../../contents/commit-on-branch.ts';
import {
  type Arguments,
  objects,
  optionalBoolean,
  optionalObject,
  optionalText,
  textArgument,
} from '../engine/arguments.ts';
import { failField } from '../engine/field-error.ts';
import type { GraphqlContext, Mutations } from './context.ts';
import { findCommitSource, findRefSource } from './git-objects.ts';
import { idOfCreated, nodeOf } from './node-fields.ts';
import { repositoryOfOwner } from './repository-connections.ts';
import type { RepositorySource } from './sources.ts';

export const gitMutations: Mutations = {
  async createRef(input, context) {
    const at = await nodeOf(textArgument(input, 'repositoryId'), ['Repository'], context);
    const created = await context.perform('git/create-ref', {
      repositoryId: at.repository.id,
      body: { ref: textArgument(input, 'name'), sha: textArgument(input, 'oid') },
    });
    return { ref: await nodeOf(idOfCreated(created), ['Ref'], context) };
  },
  async updateRef(input, context) {
    const id = textArgument(input, 'refId');
    const { at, name } = await nodeOf(id, ['Ref'], context);
    await context.perform('git/update-ref', {
      repositoryId: at.repository.id,
      path: { '*': name.slice('refs/'.length) },
      body: { sha: textArgument(input, 'oid'), force: optionalBoolean(input, 'force') ?? false },
    });
    return { ref: await nodeOf(id, ['Ref'], context) };
  },
  async deleteRef(input, context) {
    const { at, name } = await nodeOf(textArgument(input, 'refId'), ['Ref'], context);
    await context.perform('git/delete-ref', {
      repositoryId: at.repository.id,
      path: { '*': name.slice('refs/'.length) },
    });
    return {};
  },
  createCommitOnBranch,
};

/** One commit with all changes, on exactly the head that the client has seen. */
async function createCommitOnBranch(
  input: Arguments,
  context: GraphqlContext,
): Promise<Readonly<Record<string, unknown>>> {
  const { id, branch: name } = await branchOf(optionalObject(input, 'branch') ?? {}, context);
  const branch = parseBranchName(name);
  const expectedHead = parseObjectId(textArgument(input, 'expectedHeadOid'));
  if (!branch || !expectedHead) return failField('NOT_FOUND', `No branch ${name} was found.`);
  const message = optionalObject(input, 'message') ?? {};
  const body = optionalText(message, 'body') ?? '';
  const headline = textArgument(message, 'headline');
  const changes = optionalObject(input, 'fileChanges') ?? {};
  const at = await context.access({ id }, 'repos/create-or-update-file-contents');
  const { caller, now, zoneOffset } = context.request;
  const commitId = await commitOnBranch(context.ports, {
    repository: at.repository,
    caller,
    branch,
    expectedHead,
    message: body === '' ? headline : `${headline}\n\n${body}`,
    additions: objects(changes, 'additions').map(additionOf),
    deletions: objects(changes, 'deletions').map((deletion) => textArgument(deletion, 'path')),
    signingTime: { now, zoneOffset },
  });
  context.forget();
  const [commit, ref] = [
    await findCommitSource(at, commitId, context),
    await findRefSource(at, branchRef(branch), context),
  ];
  return { commit, ref };
}

/** A branch by its global id, or by the names of its repository and its own. */
async function branchOf(
  branch: Arguments,
  context: GraphqlContext,
): Promise<{ readonly id: number; readonly branch: string }> {
  const id = optionalText(branch, 'id');
  if (id !== undefined) {
    const ref = await nodeOf(id, ['Ref'], context);
    return { id: ref.at.repository.id, branch: ref.name.replace(/^refs\/heads\//, '') };
  }
  const [owner = '', name = ''] = (optionalText(branch, 'repositoryNameWithOwner') ?? '').split(
    '/',
  );
  const branchName = optionalText(branch, 'branchName');
  if (owner === '' || name === '' || branchName === undefined) {
    const message =
      'The branch must be named by its id, or by repositoryNameWithOwner and branchName.';
    return failField('UNPROCESSABLE', message);
  }
  const at: RepositorySource = await repositoryOfOwner(owner, name, context);
  return { id: at.repository.id, branch: branchName.replace(/^refs\/heads\//, '') };
}

function additionOf(addition: Arguments): FileAddition {
  const path = textArgument(addition, 'path');
  const content = decodeBase64(textArgument(addition, 'contents'));
  return content
    ? { path, content }
    : failField('UNPROCESSABLE', `The contents of ${path} are not base 64.`);
}
