import { invalidParameter } from '../errors/functions-error.ts';
import type { DurableOperation, OperationUpdate } from './operation.ts';

/** The maximum size in bytes of an operation's payload, and of an error. */
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
export function idsIn(updates: readonly OperationUpdate[]): readonly string[] {
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
