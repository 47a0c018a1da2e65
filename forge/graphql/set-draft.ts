import { reconciledRead } from '../auth/reconciled-read.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { idOfNode, nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import type { UserCaller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import type { Pull } from '../model/pull.ts';
import { fullName } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { changeDraft } from '../pulls/merging/change-draft.ts';
import { mayEdit } from '../pulls/merging/edit-pull.ts';
import { findPullById } from '../pulls/pull-store.ts';
import {
  authorizeRepository,
  loadRepository,
  mayRead,
  permissionIn,
} from '../repositories/repository-access.ts';
import { DocumentError } from './graphql-error.ts';
import type { PlannedField } from './plan.ts';
import { fill, type Given } from './variables.ts';

/** What both mutations are given. */
export interface DraftInput {
  /** A global id, as `node_id` has it. */
  readonly pullRequestId: string;
  /** Given back as it came. */
  readonly clientMutationId: string | null;
}

const inputFields: readonly string[] = ['pullRequestId', 'clientMutationId'];

/** Reads the one argument of a mutation, or refuses the document. */
export function readDraftInput(
  field: PlannedField,
  variables: ReadonlyMap<string, Given>,
): DraftInput {
  const refuseField = (message: string): never => {
    throw new DocumentError(`${message} on field '${field.name}'`, field.location);
  };
  const other = [...field.arguments.keys()].find((name) => name !== 'input');
  if (other !== undefined) return refuseField(`There is no argument '${other}'`);
  const argument = field.arguments.get('input');
  const input = argument && fill(argument, variables);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return refuseField("The argument 'input' must be an object");
  }
  const unknown = Object.keys(input).find((name) => !inputFields.includes(name));
  if (unknown !== undefined) return refuseField(`There is no '${unknown}' in the argument 'input'`);
  const pullRequestId: unknown = Reflect.get(input, 'pullRequestId');
  const clientMutationId: unknown = Reflect.get(input, 'clientMutationId') ?? null;
  if (typeof pullRequestId !== 'string') return refuseField("'pullRequestId' must be an ID");
  if (clientMutationId !== null && typeof clientMutationId !== 'string') {
    return refuseField("'clientMutationId' must be a String");
  }
  return { pullRequestId, clientMutationId };
}

interface SetDraftInput {
  readonly pullRequestId: string;
  readonly draft: boolean;
  readonly caller: UserCaller;
  readonly urls: Urls;
  readonly now: number;
}

/** Finds the pull of a global id as the REST interface would let its caller find it, and changes it; or refuses. */
export async function setDraft(
  ports: Ports,
  input: SetDraftInput,
): Promise<{ [field: string]: Json }> {
  const { caller, draft, now, urls } = input;
  const unknown = `Could not resolve to a node with the global id of '${input.pullRequestId}'`;
  const id = idOfNode('PullRequest', input.pullRequestId) ?? notFound(unknown);
  const { pull, repository } = await reconciledRead(ports, async (sql) => {
    const found = (await findPullById(sql, id)) ?? notFound(unknown);
    // Of a hidden pull no more is said than of one that is not there.
    const seen = await permissionIn(sql, caller, found.repositoryId);
    if (!atLeast(seen, 'read')) return notFound(unknown);
    const authorization = await authorizeRepository(
      sql,
      caller,
      { id: found.repositoryId },
      mayDiscuss,
    );
    const entered = await loadRepository(sql, authorization);
    if (await mayEdit(sql, caller, entered.repository, found)) {
      const { networkId } = authorization;
      return { pull: found, repository: entered.repository, networkId };
    }
    const message = `${caller.account.login} does not have permission to change this pull request.`;
    return refuse({ kind: 'forbidden', message });
  });
  const changed = await changeDraft(ports, { pull, repository, caller, draft, now });
  return representPullObject(changed, fullName(repository), urls);
}

const mayDiscuss = { ...mayRead, changes: true };

/** Every field of the type `PullRequest` in plan.ts, whether it was asked for or not. */
function representPullObject(
  pull: Pull,
  repositoryName: string,
  urls: Urls,
): { [field: string]: Json } {
  return {
    id: nodeId('PullRequest', pull.id),
    databaseId: pull.id,
    number: pull.number,
    url: urls.pullHtml(repositoryName, pull.number),
    title: pull.title,
    body: pull.body ?? '',
    state: pull.merge ? 'MERGED' : pull.state.toUpperCase(),
    isDraft: pull.draft,
    closed: pull.state === 'closed',
    merged: pull.merge !== undefined,
    baseRefName: pull.base.ref,
    headRefName: pull.head.ref,
    headRefOid: pull.head.sha,
    createdAt: timestamp(pull.createdAt),
    updatedAt: timestamp(pull.updatedAt),
  };
}
