import type { TObject } from 'typebox';

import { type Arguments, optionalText, optionalTexts } from '../engine/arguments.ts';
import { failField } from '../engine/field-error.ts';
import type { GraphqlContext } from './context.ts';
import type { RepositorySource } from './sources.ts';
import { nodeOf, nodesOf } from './node-fields.ts';

/** The fields of a REST body for the labels, assignees and milestone that an input names by their ids. */
export async function attributesInput(
  input: Arguments,
  at: RepositorySource,
  context: GraphqlContext,
): Promise<Record<string, unknown>> {
  const labels = optionalTexts(input, 'labelIds');
  const assignees = optionalTexts(input, 'assigneeIds');
  const milestone = optionalText(input, 'milestoneId');
  const body: Record<string, unknown> = {};
  if (labels) body['labels'] = await labelNamesByIds(labels, at, context);
  if (assignees) body['assignees'] = await logins(assignees, context);
  if (milestone !== undefined) {
    const found = await nodeOf(milestone, ['Milestone'], context);
    refuseForeign(found.at, at, milestone);
    body['milestone'] = found.milestone.number;
  } else if (input['milestoneId'] === null) body['milestone'] = null;
  return body;
}

export async function labelNamesByIds(
  ids: readonly string[],
  at: RepositorySource,
  context: GraphqlContext,
): Promise<string[]> {
  const labels = await nodesOf(ids, ['Label'], context);
  for (const [index, label] of labels.entries()) refuseForeign(label.at, at, ids[index] ?? '');
  return labels.map(({ label }) => label.name);
}

/** Operations name labels and milestones within a repository: those of another one have the same names and numbers. */
function refuseForeign(of: RepositorySource, at: RepositorySource, id: string): void {
  if (of.repository.id === at.repository.id) return;
  failField('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}

export async function logins(ids: readonly string[], context: GraphqlContext): Promise<string[]> {
  const accounts = await nodesOf(ids, ['User', 'Bot'], context);
  return accounts.map(({ account }) => account.login);
}

/** The fields that were given and that the body of an operation of REST has too: there, in snake case. */
export function givenFields(input: Arguments, { properties }: TObject): Record<string, unknown> {
  const names = Object.keys(properties).map((field) => [inCamelCase(field), field]);
  return given(input, Object.fromEntries(names));
}

function inCamelCase(field: string): string {
  return field.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
}

/** The fields that were given, under the names of REST. */
export function given(
  input: Arguments,
  names: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, field]) =>
      input[name] === undefined ? [] : [[field, input[name]]],
    ),
  );
}
