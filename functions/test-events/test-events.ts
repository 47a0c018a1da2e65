import type { Sql } from '#platform/database/database.ts';

import { findFunction } from '../configuration/function-store.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import { functionNotFound } from '../versions/find-function.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import {
  deleteTestEventRow,
  findTestEvent,
  listTestEvents,
  storeTestEvent,
  type TestEvent,
} from './test-event-store.ts';

type Ports = Pick<SystemPorts, 'clock' | 'database' | 'settings'>;

/** Test events of one function. */
const testEventsMax = 10;

/** Test event: a form of a megabyte can have no more, encoded. */
const testEventBytesMax = 256 * 1024;

/** The names of the saved events, and the chosen one. */
export async function readTestEvents(
  { database, settings }: Ports,
  functionName: string,
  chosen: string | null,
): Promise<{ readonly names: readonly string[]; readonly chosen: TestEvent | undefined }> {
  return database.read(async (sql) => {
    const id = await idOf(sql, settings, functionName);
    return {
      names: await listTestEvents(sql, id),
      chosen: chosen !== null && isName(chosen) ? await findTestEvent(sql, id, chosen) : undefined,
    };
  });
}

/** Saves an event. `seen` says whether the user has seen the present event of this name, which is replaced. */
export async function saveTestEvent(
  { database, clock, settings }: Ports,
  functionName: string,
  given: TestEvent,
  seen: (present: TestEvent) => boolean,
): Promise<void> {
  checkTestEvent(given);
  const now = clock.now();
  await database.write(async (sql) => {
    const id = await idOf(sql, settings, functionName);
    const present = await findTestEvent(sql, id, given.name);
    if (present && present.event !== given.event && !seen(present)) {
      throw new FunctionsError(
        'ResourceConflictException',
        `The test event ${given.name} exists with other content. To replace it, save again.`,
      );
    }
    if (!present && (await listTestEvents(sql, id)).length >= testEventsMax) {
      throw invalidParameter(
        `A function has at most ${testEventsMax} test events. Delete one, or replace one under its name.`,
      );
    }
    await storeTestEvent(sql, id, given, now);
  });
}

/** Deleting one that is missing succeeds. */
export async function deleteTestEvent(
  { database, settings }: Ports,
  functionName: string,
  name: string,
): Promise<void> {
  if (!isName(name)) return;
  await database.write(async (sql) => {
    await deleteTestEventRow(sql, await idOf(sql, settings, functionName), name);
  });
}

async function idOf(sql: Sql, settings: Ports['settings'], name: string): Promise<number> {
  const found = await findFunction(sql, name);
  if (!found) throw functionNotFound(settings, name, undefined);
  return found.id;
}

function checkTestEvent({ name, event }: TestEvent): void {
  if (!isName(name)) {
    throw invalidParameter(
      'The name of a test event has 1 to 64 letters, digits, dots, hyphens and underscores.',
    );
  }
  if (Buffer.byteLength(event) > testEventBytesMax) {
    throw invalidParameter(`A test event has at most ${testEventBytesMax} bytes.`);
  }
  if (!isJson(event)) throw invalidParameter('The event is not JSON.');
}

function isName(text: string): boolean {
  return /^[a-zA-Z0-9._-]{1,64}$/.test(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
