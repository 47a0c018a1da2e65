import { readCommitted } from '#platform/database/database.ts';
import { inBackground } from '#platform/in-background.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import { renewClaims } from '../events/event-store.ts';
import { readOwn } from '../events/read-own.ts';
import { createPollingWorker, type DueItem, type PollingWorker } from '#platform/polling-worker.ts';
import { beginExecution } from './begin-execution.ts';
import {
  dueInvocations,
  releaseInvocation,
  releaseInvocations,
  type DueInvocation,
} from './chained-store.ts';
import type { DurablePorts } from './durable-ports.ts';
import { findExecutionById } from './execution-store.ts';
import type { Execution, NewExecution } from './execution.ts';
import { invokeChained } from './invoke-chained.ts';
import { runExecution } from './run-execution.ts';
import {
  dueExecutions,
  makeDueAfterClockStep,
  releaseExecution,
  releaseExecutions,
} from './run-store.ts';
import { findMaintenance, maintain } from './maintenance.ts';
import type { LogTail } from '../logs/environment-log.ts';

/** The durable executions of the service: every execution that was started runs until it has ended. */
export interface DurableExecutions {
  /** Resolves when the execution, or the existing one of that name, is durable. */
  begin(planned: NewExecution): Promise<Execution>;
  /** Resolves once an execution has ended, with the end of the log of its last invocation, if this server saw it. */
  ended(id: number): Promise<LogTail | undefined>;
  /** Work that is due was added, or an execution was ended. */
  wake(id?: number): void;
  /** Runs everything that is due now, and everything that becomes due by that. */
  poll(): Promise<void>;
  /** Resumes interrupted executions and polls for due ones from now on. */
  start(): Promise<void>;
  /** Executions in progress resume after the next start. */
  close(): Promise<void>;
}

/** Durable executions that run at once. */
const runningMax = 64;
/** Durable executions of one function that run at once, so that a slow one does not delay others. */
const runningOfOneMax = 16;
/** Functions that durable executions have invoked at once. */
const invokingMax = 64;
/** The same of one function, so that a slow one does not delay others. */
const invokingOfOneMax = 16;
/** Wait whose end is an alarm; the end of longer ones is found by polling. */
const alarmMillisecondsMax = 60_000;

export function openDurableExecutions(
  given: Omit<DurablePorts, 'notifications'>,
): DurableExecutions {
  return new Executions(given);
}

class Executions implements DurableExecutions {
  readonly #ports: DurablePorts;
  readonly #runs: PollingWorker;
  readonly #invocations: PollingWorker;
  readonly #maintenance: PollingWorker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #alarms = new Set<NodeJS.Timeout>();
  #started = false;
  /** The time of the last poll. Before the first, the clock may have been set back while no server ran. */
  #polledAt = Infinity;

  constructor(given: Omit<DurablePorts, 'notifications'>) {
    const { database, clock, homes, serverId, onError } = given;
    this.#ports = {
      ...given,
      notifications: {
        due: (at) => this.#due(at),
        changed: (id, logTail) => this.#changed(id, logTail),
      },
    };
    const ports = this.#ports;
    this.#runs = createPollingWorker<DueItem>({
      runningMax,
      runningOfOneMax,
      onError,
      find: async () => {
        const now = clock.now();
        if (now < this.#polledAt) await database.write((sql) => makeDueAfterClockStep(sql, now));
        this.#polledAt = now;
        const due = await database.read((sql) =>
          readOwn(
            2 * runningMax,
            (inAll, offset) => dueExecutions(sql, now, { ofOne: runningOfOneMax, inAll, offset }),
            ({ name }) => homes.isHome(name),
          ),
        );
        return due.map(({ id, function_id: group }) => ({ id, group: String(group) }));
      },
      run: ({ id }, stop) => runExecution(ports, id, stop),
      renew: (ids) =>
        database.write(
          (sql) => renewClaims(sql, 'durable_executions', serverId, ids, clock.now()),
          readCommitted,
        ),
      release: ({ id }) =>
        database.write((sql) => releaseExecution(sql, serverId, id, clock.now()), readCommitted),
    });
    this.#invocations = createPollingWorker<DueItem & { readonly due: DueInvocation }>({
      runningMax: invokingMax,
      runningOfOneMax: invokingOfOneMax,
      onError,
      find: async (_capacity, _running, isRunning) => {
        // Those in progress come first when their claims seem to have expired because the clock was set forward.
        const ofOne = 2 * invokingOfOneMax;
        const now = clock.now();
        const found = await database.read((sql) =>
          readOwn(
            invokingMax,
            (inAll, offset) => dueInvocations(sql, now, { ofOne, inAll, offset }),
            ({ functionName = '', number }) => homes.isHome(functionName) && !isRunning(number),
          ),
        );
        return found.map((due) => {
          const { number: id, functionName: group = '' } = due;
          return { id, group, due };
        });
      },
      run: ({ due }, stop) => invokeChained(ports, due, stop),
      release: ({ id }) =>
        database.write((sql) => releaseInvocation(sql, serverId, id, clock.now()), readCommitted),
    });
    this.#maintenance = createPollingWorker<DueItem & { readonly maintain: () => Promise<void> }>({
      runningMax: 1,
      onError,
      find: async () => {
        // Waiting callers also learn of an execution that was deleted, or that another server has ended.
        for (const id of this.#waiting.keys()) this.#changed(id);
        const found = await findMaintenance(ports);
        return found
          ? [{ id: 1, group: 'maintenance', maintain: () => maintain(ports, found) }]
          : [];
      },
      run: (found) => found.maintain(),
    });
  }

  async begin(planned: NewExecution): Promise<Execution> {
    const { database, clock } = this.#ports;
    const started = await database.write(
      (sql) => beginExecution(sql, planned, clock.now()),
      // What is counted is not exact then, but executions that begin at the same time do not fail each other.
      readCommitted,
    );
    this.#runs.wake();
    return started;
  }

  ended(id: number): Promise<LogTail | undefined> {
    let waiting = this.#waiting.get(id);
    if (!waiting) {
      waiting = { ...Promise.withResolvers<LogTail | undefined>(), logTail: undefined };
      this.#waiting.set(id, waiting);
    }
    // It may have ended before the caller waited.
    this.#changed(id);
    // Without polling, the caller that waits runs what is due.
    if (!this.#started) inBackground(this.poll(), this.#ports.onError);
    return waiting.promise;
  }

  wake(id?: number): void {
    this.#due();
    if (id !== undefined) this.#changed(id);
  }

  async poll(): Promise<void> {
    await this.#maintenance.poll();
    await this.#runs.poll();
    await this.#invocations.poll();
    // Completed operations may have made executions due, and chained invocations may have started some.
    await this.#runs.poll();
    await this.#maintenance.poll();
  }

  async start(): Promise<void> {
    const { database, clock, serverId } = this.#ports;
    await database.write(async (sql) => {
      await releaseExecutions(sql, serverId, clock.now());
      await releaseInvocations(sql, serverId, clock.now());
    });
    this.#started = true;
    for (const work of [this.#maintenance, this.#runs, this.#invocations]) work.start();
  }

  async close(): Promise<void> {
    this.#started = false;
    for (const alarm of this.#alarms) clearTimeout(alarm);
    const left = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of left) reject(stopping());
    await Promise.all(
      [this.#runs, this.#invocations, this.#maintenance].map((work) => work.close()),
    );
  }

  #due(at?: number): void {
    const milliseconds = at === undefined ? 0 : at - this.#ports.clock.now();
    if (milliseconds <= 0) {
      this.#runs.wake();
      this.#invocations.wake();
    } else if (this.#started && milliseconds <= alarmMillisecondsMax) {
      const alarm = setTimeout(() => {
        this.#alarms.delete(alarm);
        this.#runs.wake();
      }, milliseconds);
      this.#alarms.add(alarm);
    }
  }

  #changed(id: number, logTail?: LogTail): void {
    inBackground(this.#resolveIfEnded(id, logTail), this.#ports.onError);
  }

  async #resolveIfEnded(id: number, logTail?: LogTail): Promise<void> {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    if (logTail) waiting.logTail = logTail;
    try {
      const execution = await this.#ports.database.read((sql) => findExecutionById(sql, id));
      if (execution?.status === 'RUNNING') return;
      this.#waiting.delete(id);
      waiting.resolve(waiting.logTail);
    } catch (error) {
      this.#waiting.delete(id);
      waiting.reject(error);
    }
  }
}

interface Waiting extends PromiseWithResolvers<LogTail | undefined> {
  logTail: LogTail | undefined;
}

function stopping(): FunctionsError {
  return new FunctionsError(
    'ServiceException',
    'The service is shutting down. The execution resumes after the next start.',
  );
}
