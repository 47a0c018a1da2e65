import type { UserCaller } from '../model/caller.ts';
import { refuse } from '../errors/api-error.ts';
import type { GitRepository, ObjectType, Ref } from '../git/git.ts';
import { noObject, type ObjectId, type RefName } from '../git/names.ts';
import { parseWritableRef, problemOfRefName } from '../git/commands/writable-refs.ts';
import type { Ports } from '../ports/ports.ts';
import type { Repository } from '../model/repository.ts';
import { attemptsMax, moveRef } from '../ref-updates/move-ref.ts';

export interface WriteRefInput {
  readonly repository: Repository;
  readonly caller: UserCaller;
  /** The whole name: `refs/heads/main`. */
  readonly name: string;
  readonly now: number;
}

type WrittenRef = Pick<Ref, 'name' | 'id' | 'type'>;

/** Makes a ref that must not exist yet. */
export async function createRef(
  ports: Ports,
  input: WriteRefInput & { readonly sha: ObjectId },
): Promise<WrittenRef> {
  const { repository, caller, now, sha } = input;
  const git = ports.git.repository(repository.id);
  const ref = newRefName(input.name);
  const type = await fittingType(git, ref, sha);
  if (await git.readRef(ref)) unprocessable('Reference already exists');
  const move = { repositoryId: repository.id, caller, ref, old: noObject, new: sha, now };
  const result = await moveRef(ports, move);
  if (result.kind === 'moved') return unprocessable('Reference already exists');
  if (result.kind === 'name-conflict') {
    return unprocessable(
      `Reference ${ref} cannot be created: its name conflicts with an existing reference.`,
    );
  }
  return { name: ref, id: sha, type };
}

/** Moves a ref; without `force` only as a fast-forward. */
export async function updateRef(
  ports: Ports,
  input: WriteRefInput & { readonly sha: ObjectId; readonly force: boolean },
): Promise<WrittenRef> {
  const { repository, caller, now, sha } = input;
  const git = ports.git.repository(repository.id);
  const ref = parseWritableRef(input.name) ?? unprocessable('Reference does not exist');
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const old = (await git.readRef(ref)) ?? unprocessable('Reference does not exist');
    const type = await fittingType(git, ref, sha);
    const isForced = !(await isFastForward(git, old, sha));
    if (!input.force && isForced) {
      return unprocessable('Update is not a fast forward');
    }
    const move = { repositoryId: repository.id, caller, ref, old, new: sha, now, isForced };
    if ((await moveRef(ports, move)).kind === 'updated') return { name: ref, id: sha, type };
  }
  return refuseBusy(ref);
}

/** Deletes a ref, except the default branch. */
export async function deleteRef(ports: Ports, input: WriteRefInput): Promise<void> {
  const { repository, caller, now } = input;
  const git = ports.git.repository(repository.id);
  const ref = parseWritableRef(input.name) ?? unprocessable('Reference does not exist');
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const old = (await git.readRef(ref)) ?? unprocessable('Reference does not exist');
    const move = { repositoryId: repository.id, caller, ref, old, new: noObject, now };
    if ((await moveRef(ports, move)).kind === 'updated') return;
  }
  refuseBusy(ref);
}

function newRefName(name: string): RefName {
  if (!/^refs\/[^/]+\/./.test(name)) {
    return unprocessable("Reference name must start with 'refs' and contain at least two slashes.");
  }
  const problem = problemOfRefName(name);
  if (problem !== undefined) return unprocessable(`${name} is not a valid ref name: ${problem}.`);
  return parseWritableRef(name) ?? unprocessable(`${name} is not a valid ref name.`);
}

/** The type of the object, once it is known that the ref may name it. */
async function fittingType(git: GitRepository, ref: RefName, sha: ObjectId): Promise<ObjectType> {
  const info = (await git.objectInfo(sha)) ?? unprocessable('Object does not exist');
  if (ref.startsWith('refs/heads/') && info.type !== 'commit') {
    return unprocessable(`A branch must point to a commit, but object ${sha} is a ${info.type}.`);
  }
  return info.type;
}

async function isFastForward(git: GitRepository, old: ObjectId, sha: ObjectId): Promise<boolean> {
  const [from, to] = [await git.resolveCommit(old), await git.resolveCommit(sha)];
  return from !== undefined && to !== undefined && git.isAncestor(from, to);
}

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}

function refuseBusy(ref: RefName): never {
  return refuse({ kind: 'conflict', message: `Concurrent changes to ${ref}. Try again.` });
}
