import { setTimeout as delay } from 'node:timers/promises';

import {
  CreateFunctionCommand,
  type CreateFunctionCommandInput,
  type FunctionConfiguration,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  PublishVersionCommand,
  PutFunctionConcurrencyCommand,
  PutFunctionEventInvokeConfigCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';

import { durableFiles } from '../scenarios/durable-executions-program.ts';
import { type Files, functionOf, invokeBy } from '../scenarios/function-service.ts';
import { NotDone } from '../scenarios/load.ts';
import { reservedConcurrency } from './checkers.ts';
import type { Client } from './client.ts';
import type { Round } from './forge-clients.ts';
import { inbox } from './installation.ts';

/** Says which update it runs with. */
const changedSource = 'export const handler = async () => Number(process.env.ROUND);';
/** The run is another one each time the event is handled. */
const listensSource =
  'export const handler = async ({ event }) => ({ event, run: crypto.randomUUID() });';
/** Says when it ran: the functions count themselves. */
const countedSource = `export const handler = async () => {
  const from = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 150));
  return { from, until: Date.now() };
};`;

/** More than the reservation, so that some are throttled. */
const invocationsAtOnce = reservedConcurrency + 2;
const durableLegs = 2;
/** A durable execution waits a second for each leg; they are many enough that faults find some under way. */
const executionPauseMilliseconds = 300;

/** Updates, versions, asynchronous events, durable executions and invocations of a function with reserved concurrency. */
export class FunctionClients {
  readonly #client: Client;
  readonly #changed: string;
  readonly #listens: string;
  readonly #counted: string;
  readonly #story: string;

  /** `suffix` is that of the names of its functions. */
  constructor(client: Client, suffix: string) {
    this.#client = client;
    this.#changed = `changed${suffix}`;
    this.#listens = `listens${suffix}`;
    this.#counted = `counted${suffix}`;
    this.#story = `story${suffix}`;
  }

  async prepare(): Promise<void> {
    const { lambda } = this.#client;
    await this.#create(this.#changed, { 'index.mjs': changedSource }, settings(0));
    await this.#create(this.#listens, { 'index.mjs': listensSource });
    await this.#create(this.#counted, { 'index.mjs': countedSource });
    await this.#create(this.#story, durableFiles(), {
      DurableConfig: { ExecutionTimeout: 300 },
      Timeout: 30,
    });
    const destination = { OnSuccess: { Destination: inbox } };
    await lambda.send(
      new PutFunctionEventInvokeConfigCommand({
        FunctionName: this.#listens,
        DestinationConfig: destination,
      }),
    );
    await lambda.send(
      new PutFunctionConcurrencyCommand({
        FunctionName: this.#counted,
        ReservedConcurrentExecutions: reservedConcurrency,
      }),
    );
    this.#client.journal.updates.set(this.#changed, { acknowledged: 0, sent: 0 });
  }

  /** Answers an invocation at once. */
  get probed(): string {
    return this.#listens;
  }

  rounds(): readonly Round[] {
    return [
      {
        name: 'updates',
        work: async (round) => {
          await this.#sendEvent(`e${round}`);
          await this.#update(round);
        },
      },
      {
        name: 'executions',
        work: async () => {
          await this.#begin();
          await this.#invokeAtOnce();
          await delay(executionPauseMilliseconds);
        },
      },
    ];
  }

  async #create(
    name: string,
    files: Files,
    more: Partial<CreateFunctionCommandInput> = {},
  ): Promise<void> {
    await this.#client.lambda.send(new CreateFunctionCommand(functionOf(name, files, more)));
    await this.#untilActive(name);
  }

  /** A round whose update had no response may have made it: the next one has a greater number. */
  async #update(round: number): Promise<void> {
    const { journal, lambda } = this.#client;
    const state = journal.updates.get(this.#changed) ?? { acknowledged: 0, sent: 0 };
    await this.#untilActive(this.#changed);
    journal.updates.set(this.#changed, { ...state, sent: round });
    const update = { FunctionName: this.#changed, ...settings(round) };
    await this.#client.call(
      'UpdateFunctionConfiguration',
      lambda.send(new UpdateFunctionConfigurationCommand(update)),
    );
    journal.updates.set(this.#changed, { acknowledged: round, sent: round });
    await this.#untilActive(this.#changed);
    const published = await this.#client.call(
      'PublishVersion',
      lambda.send(new PublishVersionCommand({ FunctionName: this.#changed })),
    );
    const { Version: version = '' } = published;
    journal.versions.push({ name: this.#changed, version, round: roundOf(published) });
  }

  async #sendEvent(event: string): Promise<void> {
    const { journal } = this.#client;
    await this.#invoke(this.#listens, 'Event', { event });
    journal.events.push(event);
  }

  async #begin(): Promise<void> {
    const { journal } = this.#client;
    const event = { story: 'journey', legs: durableLegs };
    const { DurableExecutionArn } = await this.#invoke(`${this.#story}:$LATEST`, 'Event', event);
    if (DurableExecutionArn === undefined) journal.unexpected.push('an execution without an ARN');
    else journal.executions.push(DurableExecutionArn);
  }

  async #invokeAtOnce(): Promise<void> {
    const all = Array.from({ length: invocationsAtOnce }, () => this.#invokeCounted());
    const failed = (await Promise.allSettled(all)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #invokeCounted(): Promise<void> {
    const { journal, lambda } = this.#client;
    const { value, error } = await this.#client.call('Invoke', invokeBy(lambda, this.#counted));
    if (error === undefined) journal.invocations.push({ from: value.from, until: value.until });
    // An environment that ended with its node.
    else throw new NotDone(`${this.#counted}: ${error}`);
  }

  #invoke(FunctionName: string, InvocationType: 'Event', event: object) {
    const Payload = JSON.stringify(event);
    const command = new InvokeCommand({ FunctionName, InvocationType, Payload });
    return this.#client.call('Invoke', this.#client.lambda.send(command));
  }

  async #untilActive(FunctionName: string): Promise<void> {
    const { lambda } = this.#client;
    const patient = performance.now() + activeMilliseconds;
    while (performance.now() < patient) {
      const now = await this.#client.call(
        'GetFunctionConfiguration',
        lambda.send(new GetFunctionConfigurationCommand({ FunctionName })),
      );
      if (isActive(now)) return;
      await delay(20);
    }
    throw new NotDone(`${FunctionName} is not active yet`);
  }
}

const activeMilliseconds = 30_000;

export function isActive(now: FunctionConfiguration): boolean {
  return now.State === 'Active' && now.LastUpdateStatus === 'Successful';
}

export function roundOf({ Environment }: FunctionConfiguration): number {
  return Number(Environment?.Variables?.['ROUND']);
}

function settings(round: number): { Environment: { Variables: Record<string, string> } } {
  return { Environment: { Variables: { ROUND: `${round}` } } };
}
