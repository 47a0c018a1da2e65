import { editLabel, type NamedLabel, deleteRepositoryLabel } from '../../labels/change-label.ts';
import { optionalText, optionalTexts, textArgument } from '../engine/arguments.ts';
import { given, labelNamesByIds } from './attribute-inputs.ts';
import type { GraphqlContext, Mutations } from './context.ts';
import { discussionOf } from './issue-mutations.ts';
import { idOfCreated, nodeOf } from './node-fields.ts';
import type { IssueSource, PullSource } from './sources.ts';

const fields = { color: 'color', description: 'description' };

export const labelMutations: Mutations = {
  async createLabel(input, context) {
    const at = await nodeOf(textArgument(input, 'repositoryId'), ['Repository'], context);
    const created = await context.perform('issues/create-label', {
      repositoryId: at.repository.id,
      body: given(input, { ...fields, name: 'name' }),
    });
    return { label: await nodeOf(idOfCreated(created), ['Label'], context) };
  },
  async updateLabel(input, context) {
    const id = textArgument(input, 'id');
    const edit = {
      name: optionalText(input, 'name'),
      color: optionalText(input, 'color'),
      description: input['description'] === null ? null : optionalText(input, 'description'),
    };
    await onLabel(id, 'issues/update-label', context, (named, change) =>
      editLabel(context.ports, named, edit, change),
    );
    return { label: await nodeOf(id, ['Label'], context) };
  },
  async deleteLabel(input, context) {
    await onLabel(textArgument(input, 'id'), 'issues/delete-label', context, (named, change) =>
      deleteRepositoryLabel(context.ports, named, change),
    );
    return {};
  },
  addLabelsToLabelable: async (input, context) => {
    const id = textArgument(input, 'labelableId');
    const { at } = await discussionOf(id, context);
    const labels = await labelNamesByIds(optionalTexts(input, 'labelIds') ?? [], at, context);
    return onLabelable(id, context, (perform) => perform('issues/add-labels', {}, { labels }));
  },
  removeLabelsFromLabelable: async (input, context) => {
    const id = textArgument(input, 'labelableId');
    const source = await discussionOf(id, context);
    const ids = optionalTexts(input, 'labelIds') ?? [];
    const labels = await labelNamesByIds(ids, source.at, context);
    const issueId = source.typeName === 'Issue' ? source.issue.id : source.pull.id;
    const present = (await context.loaders.labelsOf(issueId)).map(({ name }) => name);
    return onLabelable(id, context, async (perform) => {
      for (const name of labels) {
        if (present.includes(name)) await perform('issues/remove-label', { name }, {});
      }
    });
  },
  clearLabelsFromLabelable: (input, context) =>
    onLabelable(textArgument(input, 'labelableId'), context, (perform) =>
      perform('issues/remove-all-labels', {}, {}),
    ),
};

/** With the access rule of the operation of REST, and the label by its id: meanwhile another one may get its name. */
async function onLabel(
  id: string,
  operation: string,
  context: GraphqlContext,
  change: (
    named: NamedLabel,
    change: { readonly actorId: number; readonly now: number },
  ) => Promise<unknown>,
): Promise<void> {
  const { at, label } = await nodeOf(id, ['Label'], context);
  const repositoryId = at.repository.id;
  await context.access({ id: repositoryId }, operation);
  const { caller, now } = context.request;
  try {
    const actorId = caller.account.id;
    await change({ repositoryId, label: { id: label.id } }, { actorId, now });
  } finally {
    context.forget();
  }
}

type Perform = (
  operation: string,
  path: Readonly<Record<string, string>>,
  body: Readonly<Record<string, unknown>>,
) => Promise<unknown>;

async function onLabelable(
  id: string,
  context: GraphqlContext,
  change: (perform: Perform) => Promise<unknown>,
): Promise<{ labelable: IssueSource | PullSource }> {
  const source = await discussionOf(id, context);
  const { number } = source.typeName === 'Issue' ? source.issue : source.pull;
  const repositoryId = source.at.repository.id;
  await change((operation, path, body) =>
    context.perform(operation, { repositoryId, path: { issue_number: number, ...path }, body }),
  );
  return { labelable: await discussionOf(id, context) };
}
