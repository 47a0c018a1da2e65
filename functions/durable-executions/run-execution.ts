import { FunctionsError } from '../errors/functions-error.ts';
import { wholePayload, type Outcome } from '../environments/execution-environment.ts';
import { functionArn } from '../model/function-name.ts';
import { runFunction } from '../invocation/run-function.ts';
import type { Attempt } from './decide-run.ts';
import type { DurablePorts } from './durable-ports.ts';
import type { Execution, Run } from './execution.ts';
import { readAnswer, readFunctionError } from './read-answer.ts';
import { finishRun } from './finish-run.ts';
import { claimRun, eventFor } from './start-run.ts';

/** One invocation for a due execution; resolves when its outcome is durable. */
export async function runExecution(
  ports: DurablePorts,
  id: number,
  stop: AbortSignal,
): Promise<void> {
  const { database, clock, random, settings, serverId, news } = ports;
  const run: Run = { requestId: random.id(), secret: random.token(), startedAt: clock.now() };
  const execution = await database.write((sql) => claimRun(sql, id, run, serverId));
  if (!execution) return;
  const payload = await database.read((sql) => eventFor(sql, settings, execution, run));
  const { attempt, logTail } = await attemptAt(ports, execution, run, payload);
  // A failure caused by the shutdown of this server does not count: the next start releases the claim.
  if (stop.aborted && attempt.kind !== 'answered') return;
  const due = await database.write((sql) => finishRun(sql, execution, run, attempt, ports));
  news.changed(id, logTail);
  if (due !== undefined) news.due(due);
}

interface Attempted {
  readonly attempt: Attempt;
  readonly logTail?: Buffer;
}

async function attemptAt(
  ports: DurablePorts,
  { functionName, version, qualifier, clientContext, tenantId, traceHeader }: Execution,
  { requestId }: Run,
  payload: Buffer,
): Promise<Attempted> {
  const { targets, settings } = ports;
  const target = await targets.find({ name: functionName, qualifier: version });
  const arn = functionArn(settings, functionName, version);
  if (!target) return gone('ResourceNotFoundException', `Function not found: ${arn}`);
  try {
    const { outcome, logTail } = await runFunction(ports, target, {
      requestId,
      functionArn: functionArn(settings, functionName, qualifier),
      payload,
      ...(clientContext === undefined ? {} : { clientContext }),
      ...(tenantId === undefined ? {} : { tenantId }),
      ...(traceHeader === undefined ? {} : { traceHeader }),
    });
    return { attempt: await attemptOf(outcome), logTail: await logTail };
  } catch (error) {
    if (!(error instanceof FunctionsError)) ports.onError(error);
    else if (error.status === 400) return gone(error.code, error.message);
    return { attempt: { kind: 'not-run' } };
  }
}

function gone(ErrorType: string, ErrorMessage: string): Attempted {
  return { attempt: { kind: 'gone', error: { ErrorType, ErrorMessage } } };
}

async function attemptOf(outcome: Outcome): Promise<Attempt> {
  if (outcome.kind === 'failed')
    return { kind: 'failed', error: readFunctionError(outcome.payload) };
  return { kind: 'answered', answer: readAnswer(await wholePayload(outcome)) };
}
