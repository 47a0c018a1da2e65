import { refuse } from '../../errors/api-error.ts';
import { changeDraft } from '../../pulls/merging/change-draft.ts';
import { mayEdit } from '../../pulls/merging/edit-pull.ts';
import { type Arguments, text } from '../engine/arguments.ts';
import { failField } from '../engine/field-error.ts';
import type { GraphqlContext } from './context.ts';
import { findNode } from './node-fields.ts';
import { isPull, type PullSource } from './sources.ts';

/** Converts a pull to a draft or back. REST has no operation for it, so its access rule is here. */
export async function setDraft(
  input: Arguments,
  draft: boolean,
  context: GraphqlContext,
): Promise<{ readonly pullRequest: PullSource }> {
  const id = text(input, 'pullRequestId');
  const found = await findNode(id, context);
  if (!isPull(found)) {
    return failField('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
  }
  const { ports, request } = context;
  const { caller, now } = request;
  const { repository } = await context.enter(found.at.repository.id);
  const allowed = await ports.database.read((sql) => mayEdit(sql, caller, repository, found.pull));
  if (!allowed) {
    const message = `${caller.account.login} does not have permission to change this pull request.`;
    refuse({ kind: 'forbidden', message });
  }
  const { pull } = found;
  const changed = await changeDraft(ports, { pull, repository, caller, draft, now });
  return { pullRequest: { ...found, pull: changed } };
}
