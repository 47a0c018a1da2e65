import { readCommitted, type Sql } from '#platform/database/database.ts';
import { present } from '#platform/present.ts';

import { invalidParameter } from '../errors/functions-error.ts';
import type { AccountRegion } from '../model/function-name.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { applyOperationUpdate } from './apply-update.ts';
import { Changes } from './changes.ts';
import { endExecution } from './end-execution.ts';
import { findByArn, pageCharacters, pageOfState } from './execution-state.ts';
import {
  checkpointToken,
  operationsMax,
  readCheckpointToken,
  type Execution,
  type ExecutionEnd,
  type Run,
} from './execution.ts';
import type { DurableExecutions } from './executions.ts';
import {
  findOperations,
  type OperationOutline,
  outlineOperations,
  reportLater,
} from './operation-store.ts';
import type { DurableOperation, OperationUpdate } from './operation.ts';
import { lockExecution, storeCheckpoint } from './run-store.ts';

interface CheckpointRequest {
  readonly arn: string;
  readonly token: string;
  readonly updates: readonly OperationUpdate[];
  /** The same in a retry of a client that got no response. */
  readonly clientToken: string | undefined;
}

interface Checkpointed {
  readonly token: string;
  /** The operations changed since the last checkpoint: those of the updates and, as many as fit, of timers and other events. */
  readonly operations: readonly DurableOperation[];
}

/** Stores the progress of an execution: all of the updates or none; each token is valid once. */
export async function checkpoint(
  {
    database,
    clock,
    random,
    durable,
    settings,
  }: Pick<SystemPorts, 'database' | 'clock' | 'random' | 'settings'> & {
    readonly durable: DurableExecutions;
  },
  request: CheckpointRequest,
): Promise<Checkpointed> {
  const { arn, updates } = request;
  const now = clock.now();
  const queue = `durable ${arn}`;
  const done = await database.write(
    async (sql) => {
      // Whatever is decided by the execution is read after this.
      const found = await findByArn(sql, settings, arn);
      if (found) await lockExecution(sql, found.id);
      const { execution, run, number, isRepeated } = await authorizeCheckpoint(
        sql,
        settings,
        request,
      );
      if (!isRepeated) {
        await apply(sql, execution, updates, { now, newCallbackId: () => random.token() });
        await storeCheckpoint(sql, execution.id, request.clientToken);
      }
      const operations = await report(sql, execution.id, number, updates);
      return { token: checkpointToken(run, number + 1), operations };
    },
    { queue, ...readCommitted },
  );
  if (updates.some(({ Type }) => Type === 'CHAINED_INVOKE' || Type === 'EXECUTION')) durable.wake();
  return done;
}

/**
 * The changed operations, whose results may be large: callbacks have a megabyte each. What does not fit is reported by the next checkpoint,
 * or starts another run: AWS's library for JavaScript does not ask for further pages here.
 */
async function report(
  sql: Sql,
  executionId: number,
  number: number,
  updates: readonly OperationUpdate[],
): Promise<readonly DurableOperation[]> {
  const updated = await outlineOperations(sql, executionId, number);
  const own = new Set(updates.map(({ Id }) => Id));
  const others = updated.filter(({ id }) => !own.has(id));
  const bounds = { items: others.length, size: pageCharacters };
  const fitting = new Set(pageOfState(others, 0, bounds).ids);
  const isReported = ({ id }: OperationOutline): boolean => own.has(id) || fitting.has(id);
  const later = updated.filter((each) => !isReported(each));
  for (const { position } of later) await reportLater(sql, executionId, position, number + 1);
  const ids = updated.filter(isReported).map(({ id }) => id);
  return findOperations(sql, executionId, ids);
}

/** Refuses tokens that do not belong to the current run, or were used already. */
export async function checkRunToken(
  sql: Sql,
  accountRegion: AccountRegion,
  { arn, token }: Pick<CheckpointRequest, 'arn' | 'token'>,
): Promise<Execution> {
  const execution = await findByArn(sql, accountRegion, arn);
  if (!execution?.run || execution.run.secret !== readCheckpointToken(token).secret) {
    throw invalidToken();
  }
  return execution;
}

interface AuthorizedCheckpoint {
  readonly execution: Execution;
  readonly run: Run;
  /** The number of the token's checkpoint. */
  readonly number: number;
  readonly isRepeated: boolean;
}

async function authorizeCheckpoint(
  sql: Sql,
  accountRegion: AccountRegion,
  request: CheckpointRequest,
): Promise<AuthorizedCheckpoint> {
  const { token, clientToken } = request;
  const execution = await checkRunToken(sql, accountRegion, request);
  const { run } = execution;
  const { checkpoint: number } = readCheckpointToken(token);
  if (!run) throw invalidToken();
  const isRepeated =
    number === execution.checkpoint - 1 &&
    clientToken !== undefined &&
    clientToken === execution.clientToken;
  if (isRepeated) return { execution, run, number, isRepeated };
  if (number !== execution.checkpoint || execution.status !== 'RUNNING') throw invalidToken();
  return { execution, run, number, isRepeated };
}

/** AWS's SDK recognizes this error by the beginning of the message. */
function invalidToken(): Error {
  return invalidParameter(
    'Invalid Checkpoint Token: it was already used, or the execution continues elsewhere or has ended.',
  );
}

async function apply(
  sql: Sql,
  execution: Execution,
  updates: readonly OperationUpdate[],
  context: { readonly now: number; readonly newCallbackId: () => string },
): Promise<void> {
  const changes = new Changes(await findOperations(sql, execution.id, idsIn(updates)));
  // Timers that are due are applied first: a program that waited for them continues from there.
  await changes.applyTimers(sql, execution.id, context.now);
  checkUpdates(updates, changes.known);
  let end: ExecutionEnd | undefined;
  for (const update of updates) {
    if (update.Type === 'EXECUTION') end = endBy(update);
    else changes.add(applyOperationUpdate(changes.get(update.Id), update, context));
  }
  if (execution.operations + changes.freshCount > operationsMax) {
    throw invalidParameter(`An execution can have at most ${operationsMax} operations.`);
  }
  const saved = await changes.save(sql, execution, context.now);
  if (end) await endExecution(sql, saved, end, context.now);
}

function endBy({ Action, Payload, Error: error }: OperationUpdate): ExecutionEnd {
  if (Action === 'FAIL') return { status: 'FAILED', error: error ?? {} };
  return { status: 'SUCCEEDED', ...present({ result: Payload }) };
}

/** Payload of an operation, and an error. */
const payloadBytesMax = 1_048_576;

/**
 * Checks the updates of one checkpoint against each other: no operation is updated twice, except started and ended together; an
 * operation inside a context comes after the start of that context; the end of the execution comes last.
 */
export function checkUpdates(
  updates: readonly OperationUpdate[],
  known: ReadonlyMap<string, DurableOperation>,
): void {
  const seen = new Map<string, OperationUpdate>();
  for (const [index, update] of updates.entries()) {
    checkSizes(update);
    if (update.Type === 'EXECUTION') {
      checkEnd(update, index === updates.length - 1);
      continue;
    }
    checkOnce(seen.get(update.Id), update);
    checkParent(update, known, seen);
    seen.set(update.Id, update);
  }
}

/** Ids that must be known to judge and apply the updates. */
function idsIn(updates: readonly OperationUpdate[]): readonly string[] {
  const ids = updates
    .filter(({ Type }) => Type !== 'EXECUTION')
    .flatMap(({ Id, ParentId }) => (ParentId === undefined ? [Id] : [Id, ParentId]));
  return [...new Set(ids)];
}

function checkSizes({ Payload, Error: error, Type, Id }: OperationUpdate): void {
  const payloadBytes = Payload === undefined ? 0 : Buffer.byteLength(Payload);
  if (Type !== 'EXECUTION' && payloadBytes > payloadBytesMax) {
    throw invalidParameter(`The payload of ${Id} must be at most ${payloadBytesMax} bytes.`);
  }
  if (error) checkErrorSize(error);
}

/** Refuses an error that is too large to store. */
export function checkErrorSize(error: object): void {
  if (Buffer.byteLength(JSON.stringify(error)) <= payloadBytesMax) return;
  throw invalidParameter(`An error must be at most ${payloadBytesMax} bytes.`);
}

function checkEnd({ Action }: OperationUpdate, isLast: boolean): void {
  if (!isLast) throw invalidParameter('The end of the execution must be the last update.');
  if (Action !== 'SUCCEED' && Action !== 'FAIL') {
    throw invalidParameter(`Action ${Action} is not possible for an EXECUTION.`);
  }
}

function checkOnce(earlier: OperationUpdate | undefined, update: OperationUpdate): void {
  if (!earlier) return;
  const startsAndEnds =
    (update.Type === 'STEP' || update.Type === 'CONTEXT') &&
    earlier.Action === 'START' &&
    update.Action !== 'START';
  if (!startsAndEnds) {
    throw invalidParameter(`The operation ${update.Id} is updated twice in one checkpoint.`);
  }
}

function checkParent(
  { Id, ParentId }: OperationUpdate,
  known: ReadonlyMap<string, DurableOperation>,
  seen: ReadonlyMap<string, OperationUpdate>,
): void {
  if (ParentId === undefined) return;
  const type = seen.get(ParentId)?.Type ?? known.get(ParentId)?.type;
  if (type === 'CONTEXT') return;
  throw invalidParameter(`The parent ${ParentId} of operation ${Id} is not a context.`);
}
