import { type Arguments, optionalText, optionalTexts } from '../engine/arguments.ts';
import type { GraphqlContext } from './context.ts';
import { nodeOf, nodesOf } from './node-fields.ts';

/** The members of a REST body for the labels, assignees and milestone that an input names by their ids. */
export async function attributesOf(
  input: Arguments,
  context: GraphqlContext,
): Promise<Record<string, unknown>> {
  const labels = optionalTexts(input, 'labelIds');
  const assignees = optionalTexts(input, 'assigneeIds');
  const milestone = optionalText(input, 'milestoneId');
  const body: Record<string, unknown> = {};
  if (labels) body['labels'] = await labelNames(labels, context);
  if (assignees) body['assignees'] = await logins(assignees, context);
  if (milestone !== undefined) {
    body['milestone'] = (await nodeOf(milestone, ['Milestone'], context)).milestone.number;
  } else if (input['milestoneId'] === null) body['milestone'] = null;
  return body;
}

export async function labelNames(
  ids: readonly string[],
  context: GraphqlContext,
): Promise<string[]> {
  return (await nodesOf(ids, ['Label'], context)).map(({ label }) => label.name);
}

export async function logins(ids: readonly string[], context: GraphqlContext): Promise<string[]> {
  const accounts = await nodesOf(ids, ['User', 'Bot'], context);
  return accounts.map(({ account }) => account.login);
}

/** The members that were given, under the names of REST. */
export function given(
  input: Arguments,
  names: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, member]) =>
      input[name] === undefined ? [] : [[member, input[name]]],
    ),
  );
}
