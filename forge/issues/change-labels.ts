import { caseless } from '../model/account.ts';
import { type FieldError, invalid } from '../errors/api-error.ts';
import {
  attachLabel,
  detachLabel,
  findLabel,
  labelNamed,
  labelsOfIssues,
} from '../labels/label-store.ts';
import { checkLabel, defaultColor, type Label } from '../model/label.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { emitIssueEvent } from './issue-event-store.ts';
import { touchIssue } from './issue-change-store.ts';
import type { IssueChange } from '../model/issue.ts';

/** Labels of an issue. */
export const labelsPerIssueMax = 100;

/** Names of labels, and whether the caller may create missing ones. */
export interface ChangeLabelsInput {
  readonly names: readonly string[];
  readonly mayCreate: boolean;
}

/** Adds labels to an issue. */
export async function addLabels(
  sql: RepositoryWrite,
  change: IssueChange,
  input: ChangeLabelsInput,
): Promise<void> {
  const present = (await labelsOfIssues(sql, [change.issueId])).get(change.issueId) ?? [];
  const keys = new Set(present.map((label) => caseless(label.name)));
  const fresh = new Map<string, string>();
  for (const name of input.names) {
    const key = caseless(name);
    if (!keys.has(key) && !fresh.has(key)) fresh.set(key, name);
  }
  if (fresh.size === 0) return;
  if (present.length + fresh.size > labelsPerIssueMax) refuseTooMany();
  for (const name of fresh.values()) {
    const label = await labelFor(sql, change, name, input.mayCreate);
    await attachLabel(sql, change.issueId, label.id);
    await emitIssueEvent(
      sql,
      change,
      { event: 'labeled', label: nameAndColorOf(label) },
      { label },
    );
  }
  await touchIssue(sql, change);
}

/** Replaces the labels of an issue. */
export async function replaceLabels(
  sql: RepositoryWrite,
  change: IssueChange,
  input: ChangeLabelsInput,
): Promise<void> {
  const wanted = new Set(input.names.map(caseless));
  const present = (await labelsOfIssues(sql, [change.issueId])).get(change.issueId) ?? [];
  for (const label of present) {
    if (!wanted.has(caseless(label.name))) await removeLabel(sql, change, label);
  }
  await addLabels(sql, change, input);
}

/** false if the issue did not have the label. */
export async function removeLabel(
  sql: RepositoryWrite,
  change: IssueChange,
  label: Label,
): Promise<boolean> {
  if (!(await detachLabel(sql, change.issueId, label.id))) return false;
  await emitIssueEvent(
    sql,
    change,
    { event: 'unlabeled', label: nameAndColorOf(label) },
    { label },
  );
  await touchIssue(sql, change);
  return true;
}

async function labelFor(
  sql: RepositoryWrite,
  { repositoryId, actorId, now }: IssueChange,
  name: string,
  mayCreate: boolean,
): Promise<Label> {
  const known = await findLabel(sql, repositoryId, name);
  if (known) return known;
  checkLabel({ name });
  if (!mayCreate) {
    return invalid({ value: name, resource: 'Label', field: 'name', code: 'missing' });
  }
  const { label, created } = await labelNamed(sql, repositoryId, name, defaultColor);
  if (created) {
    await emitEvent(sql, repositoryId, { event: 'label', action: 'created', label, actorId }, now);
  }
  return label;
}

function nameAndColorOf({ name, color }: Label): { name: string; color: string } {
  return { name, color };
}

function refuseTooMany(): never {
  const error: FieldError = {
    resource: 'Issue',
    field: 'labels',
    code: 'custom',
    message: `An issue can have at most ${labelsPerIssueMax} labels.`,
  };
  return invalid(error);
}
