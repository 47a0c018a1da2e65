import { optionalTexts, text } from '../engine/arguments.ts';
import { given, labelNames } from './attribute-inputs.ts';
import type { GraphqlContext, Mutations } from './context.ts';
import { discussionOf } from './issue-mutations.ts';
import { idOfCreated, nodeOf } from './node-fields.ts';
import type { IssueSource, PullSource } from './sources.ts';

const members = { color: 'color', description: 'description' };

export const labelMutations: Mutations = {
  async createLabel(input, context) {
    const at = await nodeOf(text(input, 'repositoryId'), ['Repository'], context);
    const created = await context.perform('issues/create-label', {
      repositoryId: at.repository.id,
      body: given(input, { ...members, name: 'name' }),
    });
    return { label: await nodeOf(idOfCreated(created), ['Label'], context) };
  },
  async updateLabel(input, context) {
    const id = text(input, 'id');
    const { at, label } = await nodeOf(id, ['Label'], context);
    await context.perform('issues/update-label', {
      repositoryId: at.repository.id,
      path: { name: label.name },
      body: given(input, { ...members, name: 'new_name' }),
    });
    return { label: await nodeOf(id, ['Label'], context) };
  },
  async deleteLabel(input, context) {
    const { at, label } = await nodeOf(text(input, 'id'), ['Label'], context);
    await context.perform('issues/delete-label', {
      repositoryId: at.repository.id,
      path: { name: label.name },
    });
    return {};
  },
  addLabelsToLabelable: async (input, context) => {
    const id = text(input, 'labelableId');
    const { at } = await discussionOf(id, context);
    const labels = await labelNames(optionalTexts(input, 'labelIds') ?? [], at, context);
    return onLabelable(id, context, (perform) => perform('issues/add-labels', {}, { labels }));
  },
  removeLabelsFromLabelable: async (input, context) => {
    const id = text(input, 'labelableId');
    const source = await discussionOf(id, context);
    const ids = optionalTexts(input, 'labelIds') ?? [];
    const labels = await labelNames(ids, source.at, context);
    const issueId = source.typeName === 'Issue' ? source.issue.id : source.pull.id;
    const present = (await context.loaders.labelsOf(issueId)).map(({ name }) => name);
    return onLabelable(id, context, async (perform) => {
      for (const name of labels) {
        if (present.includes(name)) await perform('issues/remove-label', { name }, {});
      }
    });
  },
  clearLabelsFromLabelable: (input, context) =>
    onLabelable(text(input, 'labelableId'), context, (perform) =>
      perform('issues/remove-all-labels', {}, {}),
    ),
};

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
