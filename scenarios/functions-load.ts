import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  type FunctionConfiguration,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  ListVersionsByFunctionCommand,
  PublishVersionCommand,
  PutFunctionEventInvokeConfigCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';

import { accessKey, functionOf, invokeBy } from './function-service.ts';
import { createLoadReport, type LoadReport, NotDone, repeat } from './load.ts';

export interface FunctionsLoadOptions {
  /** Where the server is; it stays there when it is started again. */
  readonly url: string;
  /** For what functions answer to events; `settings` names it to the server. */
  readonly folder: string;
  /** Statuses that refuse a request without breaking a promise, in addition to those of conflicts and throttling. */
  readonly excused?: readonly number[];
}

interface Acknowledged {
  readonly created: Set<string>;
  readonly deleted: Set<string>;
  /** Name to the newest acknowledged update, by number. */
  readonly updated: Map<string, number>;
  /** Updates that were sent and never answered: they may have happened. */
  readonly uncertain: Map<string, number>;
  /** Asynchronous events: what was sent with each. */
  readonly accepted: Set<string>;
  readonly published: { readonly name: string; readonly version: string; readonly round: string }[];
}

const source =
  'export const handler = async () => [process.env.ROUND, process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE];';
/** Takes what functions answer to asynchronous events. */
const inbox = 'arn:aws:sqs:us-east-1:123456789012:done';
/** In one run: enough that faults find some waiting and some under way. */
const eventsInRun = 40;

/** Functions that are made, updated, published, invoked and deleted and take events for later, all at once. */
export class FunctionsLoad {
  readonly report: LoadReport = createLoadReport();
  readonly acknowledged: Acknowledged = {
    created: new Set(),
    deleted: new Set(),
    updated: new Map(),
    uncertain: new Map(),
    accepted: new Set(),
    published: [],
  };
  readonly client: LambdaClient;
  readonly #options: FunctionsLoadOptions;
  #run = 0;

  /** Made before the server: it needs what `environment` gives. */
  constructor(options: FunctionsLoadOptions) {
    this.#options = options;
    const { url: endpoint } = options;
    const credentials = accessKey;
    // Each refusal is to be seen.
    this.client = new LambdaClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  }

  /** Settings of the server that the load needs. */
  static async environment(folder: string): Promise<Record<string, string>> {
    await mkdir(join(folder, 'done'), { recursive: true });
    const targets = { [inbox]: { folder: join(folder, 'done') } };
    await writeFile(join(folder, 'resources.json'), JSON.stringify({ targets }));
    return {
      HOB_ACCESS_KEY_ID: accessKey.accessKeyId,
      HOB_SECRET_ACCESS_KEY: accessKey.secretAccessKey,
      HOB_RESOURCES: join(folder, 'resources.json'),
      // Long enough that faults find updates under way.
      HOB_FUNCTION_UPDATE_MS: '150',
    };
  }

  close(): void {
    this.client.destroy();
  }

  /** Works until it is stopped; resolves when nothing is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    this.#run += 1;
    const run = this.#run;
    const again = (work: (round: number) => Promise<void>): Promise<void> =>
      repeat(signal, this.report, (round) => this.#excusing(() => work(round)));
    await Promise.all([
      again((round) => this.#makeOne(`made-${run}-${round}`, signal)),
      again((round) => this.#deleteOne(`gone-${run}-${round}`)),
      ...[0, 1].map((index) => again(() => this.#updateOne(`changed-${run}-${index}`, signal))),
      again(() => this.#invokeOne(`changed-${run}-0`)),
      again((round) => this.#sendEvent(`listens-${run}`, `${run}-${round}`, round, signal)),
    ]);
  }

  /** Refusals of the rules and of the fault end the round; others are noted. */
  async #excusing(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const status = statusOf(error);
      if (status === undefined) throw error;
      if (![409, 429, 404, ...(this.#options.excused ?? [])].includes(status)) {
        this.report.unexpected.push(`${status} ${String(error)}`);
      }
      throw new NotDone(String(status));
    }
  }

  async #create(FunctionName: string): Promise<void> {
    const initial = settings(0);
    await this.client
      .send(new CreateFunctionCommand(functionOf(FunctionName, { 'index.mjs': source }, initial)))
      // It was made, and the answer was lost.
      .catch((error: unknown) => {
        if (statusOf(error) !== 409) throw error;
      });
    this.acknowledged.created.add(FunctionName);
    this.report.acknowledged += 1;
  }

  async #makeOne(name: string, signal: AbortSignal): Promise<void> {
    await this.#create(name);
    await this.#untilUpdated(name, signal);
  }

  async #deleteOne(FunctionName: string): Promise<void> {
    await this.client.send(
      new CreateFunctionCommand(functionOf(FunctionName, { 'index.mjs': source }, settings(0))),
    );
    await this.client.send(new DeleteFunctionCommand({ FunctionName }));
    this.acknowledged.deleted.add(FunctionName);
    this.report.acknowledged += 1;
  }

  async #updateOne(FunctionName: string, signal: AbortSignal): Promise<void> {
    const { created, updated, uncertain, published } = this.acknowledged;
    if (!created.has(FunctionName)) await this.#create(FunctionName);
    await this.#untilUpdated(FunctionName, signal);
    const round = Math.max(updated.get(FunctionName) ?? 0, uncertain.get(FunctionName) ?? 0) + 1;
    uncertain.set(FunctionName, round);
    const update = { FunctionName, ...settings(round) };
    await this.client.send(new UpdateFunctionConfigurationCommand(update));
    updated.set(FunctionName, round);
    this.report.acknowledged += 1;
    await this.#untilUpdated(FunctionName, signal);
    const version = await this.client.send(new PublishVersionCommand({ FunctionName }));
    const remaining = version.Environment?.Variables?.['ROUND'] ?? '';
    published.push({ name: FunctionName, version: version.Version ?? '', round: remaining });
    this.report.acknowledged += 1;
  }

  async #invokeOne(FunctionName: string): Promise<void> {
    if (!this.acknowledged.created.has(FunctionName)) throw new NotDone('not made yet');
    const { value, error } = await invokeBy(this.client, FunctionName);
    const whole = error === undefined && Number(value[1]) === 512 + Number(value[0]);
    if (!whole) this.report.unexpected.push(`${FunctionName} answered ${JSON.stringify(value)}`);
  }

  async #sendEvent(
    FunctionName: string,
    event: string,
    round: number,
    signal: AbortSignal,
  ): Promise<void> {
    if (!this.acknowledged.created.has(FunctionName)) {
      await this.#create(FunctionName);
      const DestinationConfig = { OnSuccess: { Destination: inbox } };
      const destination = { FunctionName, DestinationConfig };
      await this.client.send(new PutFunctionEventInvokeConfigCommand(destination));
      await this.#untilUpdated(FunctionName, signal);
    }
    if (round > eventsInRun) {
      // Enough is under way: what is left is to see what the fault does to others.
      await delay(50);
      return;
    }
    const Payload = JSON.stringify({ event });
    await this.client.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
    this.acknowledged.accepted.add(event);
    this.report.acknowledged += 1;
  }

  #configuration(FunctionName: string): Promise<FunctionConfiguration> {
    return this.client.send(new GetFunctionConfigurationCommand({ FunctionName }));
  }

  /** By hand: the clients' own waiters wait on when the server is gone. */
  async #untilUpdated(FunctionName: string, signal: AbortSignal): Promise<FunctionConfiguration> {
    for (;;) {
      const now = await this.#configuration(FunctionName);
      if (now.State === 'Active' && now.LastUpdateStatus === 'Successful') return now;
      if (now.State === 'Failed' || now.LastUpdateStatus === 'Failed') {
        throw new NotDone(
          `${FunctionName} has failed: ${now.LastUpdateStatusReason ?? now.StateReason}`,
        );
      }
      if (signal.aborted) throw new NotDone('ended');
      await delay(20);
    }
  }

  /** Looks for everything that was acknowledged; one sentence for each that is lost or does not work. */
  async losses(seconds = 30): Promise<string[]> {
    const { created, deleted, published } = this.acknowledged;
    const lost: string[] = [];
    for (const name of [...deleted].slice(-6)) {
      const left = await this.#configuration(name).then(isTrue, (error) => statusOf(error) !== 404);
      if (left) lost.push(`the deletion of ${name}`);
    }
    for (const name of [...created].slice(-8))
      lost.push(...(await this.#lostUpdate(name, seconds)));
    for (const { name, version, round } of published.slice(-6)) {
      const { Versions } = await this.client.send(
        new ListVersionsByFunctionCommand({ FunctionName: name }),
      );
      const remaining = Versions?.find(({ Version }) => Version === version);
      if (remaining?.Environment?.Variables?.['ROUND'] !== round) {
        lost.push(`version ${version} of ${name}`);
      }
    }
    lost.push(...(await this.#lostEvents(seconds)));
    return lost;
  }

  /** Provisioning that was interrupted goes on by itself and ends well. */
  async #lostUpdate(name: string, seconds: number): Promise<string[]> {
    const { updated, uncertain } = this.acknowledged;
    try {
      const { Environment, MemorySize } = await this.#untilUpdated(
        name,
        AbortSignal.timeout(seconds * 1000),
      );
      const round = Number(Environment?.Variables?.['ROUND']);
      const least = updated.get(name) ?? 0;
      const newest = uncertain.get(name) ?? least;
      if (round < least || round > newest || MemorySize !== 512 + round) {
        return [`the update ${least} of ${name}, which has ${round}`];
      }
      const { value } = await invokeBy(this.client, name);
      const right = value?.[0] === `${round}` && value?.[1] === `${512 + round}`;
      return right ? [] : [`${name} answers ${JSON.stringify(value)}`];
    } catch (error) {
      return [`${name}: ${String(error)}`];
    }
  }

  /** Those that were on their way run again by themselves. */
  async #lostEvents(seconds: number): Promise<string[]> {
    const patient = performance.now() + seconds * 1000;
    for (;;) {
      const done = new Set(await this.#answered());
      const left = [...this.acknowledged.accepted].filter((event) => !done.has(event));
      if (left.length === 0) return [];
      if (performance.now() > patient) return left.map((event) => `the event ${event}`);
      await delay(50);
    }
  }

  /** Events that were answered more than once. A crash excuses that. */
  async repeatedEvents(): Promise<string[]> {
    const done = await this.#answered();
    return [...new Set(done.filter((event, index) => done.indexOf(event) !== index))];
  }

  /** The events that functions have answered, as the destination got them. */
  async #answered(): Promise<string[]> {
    const destination = join(this.#options.folder, 'done');
    const names = (await readdir(destination)).filter((name) => !name.startsWith('.'));
    return Promise.all(
      names.map(async (name) => {
        const { body } = JSON.parse(await readFile(join(destination, name), 'utf8'));
        return String(JSON.parse(body).requestPayload.event);
      }),
    );
  }
}

function settings(round: number): { MemorySize: number; Environment: object } {
  return { MemorySize: 512 + round, Environment: { Variables: { ROUND: `${round}` } } };
}

/** Of a response; undefined when there was none. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const { httpStatusCode } = error.$metadata as { httpStatusCode?: number };
  return httpStatusCode;
}

const isTrue = (): boolean => true;
