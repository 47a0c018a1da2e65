import type { Sql } from '#platform/database/database.ts';
import { present } from '#platform/present.ts';

import { timestamp } from '../json/json-values.ts';
import { notFound } from '../errors/api-error.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { type MilestoneChanged, previousValues } from '../model/domain-event.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import {
  deleteMilestone,
  findMilestone,
  insertMilestone,
  type NewMilestone,
  updateMilestone,
} from './milestone-store.ts';
import type { MilestoneInput } from './milestone-input.ts';
import type { Milestone } from '../model/milestone.ts';

/** The milestone, actor and time of a change. */
export interface MilestoneChange {
  readonly repositoryId: number;
  readonly number: number;
  readonly actorId: number | null;
  readonly now: number;
}

/** Creates a milestone, emits its event and returns its number. Fails with a unique violation if the title is taken. */
export async function addMilestone(sql: RepositoryWrite, created: NewMilestone): Promise<number> {
  const { repositoryId, creatorId: actorId, now } = created;
  const number = await insertMilestone(sql, created);
  const change = { repositoryId, number, actorId, now };
  await emitMilestoneEvent(sql, change, 'created', await required(sql, change));
  return number;
}

/** Edits a milestone or changes its state. Fails with a unique violation if the title is taken. */
export async function changeMilestone(
  sql: RepositoryWrite,
  change: MilestoneChange,
  input: MilestoneInput,
): Promise<void> {
  const before = await required(sql, change);
  await updateMilestone(sql, before, input, change.now);
  const after = await required(sql, change);
  const changes = previousValues(textsOf(before), textsOf(after), [
    'title',
    'description',
    'due_on',
  ]);
  if (changes) await emitMilestoneEvent(sql, change, 'edited', after, changes);
  if (before.state !== after.state) {
    await emitMilestoneEvent(sql, change, after.state === 'open' ? 'opened' : 'closed', after);
  }
}

export async function removeMilestone(
  sql: RepositoryWrite,
  change: MilestoneChange,
): Promise<void> {
  const milestone = await required(sql, change);
  await deleteMilestone(sql, milestone);
  await emitMilestoneEvent(sql, change, 'deleted', milestone);
}

async function required(sql: Sql, change: MilestoneChange): Promise<Milestone> {
  return (await findMilestone(sql, change.repositoryId, change.number)) ?? notFound();
}

async function emitMilestoneEvent(
  sql: Sql,
  { repositoryId, actorId, now }: MilestoneChange,
  action: MilestoneChanged['action'],
  milestone: Milestone,
  changes?: MilestoneChanged['changes'],
): Promise<void> {
  const event = { event: 'milestone', action, milestone, actorId } as const;
  await emitEvent(sql, repositoryId, { ...event, ...present({ changes }) }, now);
}

function textsOf({ title, description, dueAt }: Milestone): {
  title: string;
  description: string | null;
  due_on: string | null;
} {
  return { title, description, due_on: timestamp(dueAt) };
}
