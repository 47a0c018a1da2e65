import { uniqueViolation } from '#platform/database/constraint-violation.ts';
import type { Sql } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { writeRepository } from '../events/invalidate.ts';
import { previousValues } from '../model/domain-event.ts';
import { checkLabel, type Label, refuseTakenLabelName } from '../model/label.ts';
import type { Ports } from '../ports/ports.ts';
import { deleteLabel, findLabel, findLabelById, updateLabel } from './label-store.ts';

/** A label by its name, or by its id, which another label never gets. */
export interface NamedLabel {
  readonly repositoryId: number;
  readonly label: { readonly name: string } | { readonly id: number };
}

export interface LabelEdit {
  readonly name?: string | undefined;
  readonly color?: string | undefined;
  readonly description?: string | null | undefined;
}

interface Change {
  readonly actorId: number;
  readonly now: number;
}

export async function editLabel(
  { database }: Pick<Ports, 'database'>,
  named: NamedLabel,
  edit: LabelEdit,
  { actorId, now }: Change,
): Promise<Label> {
  checkLabel(edit);
  const { repositoryId } = named;
  try {
    return await writeRepository(database, repositoryId, async (sql) => {
      const label = await requireLabel(sql, named);
      const { name = label.name, description = label.description } = edit;
      const color = (edit.color ?? label.color).toLowerCase();
      const changed = { id: label.id, name, color, description };
      await updateLabel(sql, changed);
      const changes = previousValues(label, changed, ['name', 'color', 'description']);
      if (changes) {
        const event = { event: 'label', action: 'edited', label: changed, actorId } as const;
        await emitEvent(sql, repositoryId, { ...event, changes }, now);
      }
      return changed;
    });
  } catch (error) {
    if (uniqueViolation(error)) return refuseTakenLabelName();
    throw error;
  }
}

export async function deleteRepositoryLabel(
  { database }: Pick<Ports, 'database'>,
  named: NamedLabel,
  { actorId, now }: Change,
): Promise<void> {
  const { repositoryId } = named;
  await writeRepository(database, repositoryId, async (sql) => {
    const label = await requireLabel(sql, named);
    await deleteLabel(sql, label.id);
    const event = { event: 'label', action: 'deleted', label, actorId } as const;
    await emitEvent(sql, repositoryId, event, now);
  });
}

async function requireLabel(sql: Sql, { repositoryId, label }: NamedLabel): Promise<Label> {
  if ('name' in label) {
    return (await findLabel(sql, repositoryId, label.name)) ?? notFound();
  }
  const found = await findLabelById(sql, label.id);
  return found?.repositoryId === repositoryId ? found.label : notFound();
}
