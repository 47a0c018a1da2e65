import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import {
  CreateFunctionCommand,
  type CreateFunctionCommandInput,
  type FunctionConfiguration,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  type InvokeCommandInput,
  LambdaClient,
  UpdateFunctionConfigurationCommand,
  type UpdateFunctionConfigurationCommandInput,
  waitUntilFunctionActiveV2,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';

import { zipOf, type ZipContent } from '#functions/code/testing/zip-of.ts';
import { type IsolationTier, isolationTiers } from '#functions/launcher/isolation.ts';

import { removeFolder, type RunningServer, startServer } from './running-server.ts';

/** A whole `hob serve` and the AWS SDK as its client. */
export interface FunctionService {
  readonly server: RunningServer;
  /** Of this run; removed with it. */
  readonly dataFolder: string;
  readonly client: LambdaClient;
  /** The isolation of functions here, as the start reported it. */
  readonly tier: IsolationTier;
  /** Makes a Node function of these files and waits until it is active. */
  create(name: string, files: Files, settings?: Input): Promise<void>;
  /** Changes a function, waits until the change is applied, and returns the configuration. */
  update(name: string, settings: Changes): Promise<FunctionConfiguration>;
  /** The same for a change that fails to be applied. */
  updateThatFails(name: string, settings: Changes): Promise<FunctionConfiguration>;
  configuration(name: string): Promise<FunctionConfiguration>;
  invoke(name: string, event?: unknown, options?: Partial<InvokeCommandInput>): Promise<Invoked>;
  /** Ends it; rejects when the server has logged internal errors. */
  stop(): Promise<void>;
}

export interface Invoked {
  /** What the header of failures says. */
  readonly error: string | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- functions answer anything
  readonly value: any;
  /** The end of the function's log. */
  readonly log: string;
  readonly version: string | undefined;
}

export type Files = Readonly<Record<string, ZipContent>>;
type Input = Partial<CreateFunctionCommandInput>;
type Changes = Omit<UpdateFunctionConfigurationCommandInput, 'FunctionName'>;

/** The pair that the server is started with. */
export const accessKey = { accessKeyId: 'AKIASCENARIO', secretAccessKey: 'scenario/secret+key' };
export const role = 'arn:aws:iam::123456789012:role/worker';

export const functionEnvironment: Readonly<Record<string, string>> = {
  HOB_ACCESS_KEY_ID: accessKey.accessKeyId,
  HOB_SECRET_ACCESS_KEY: accessKey.secretAccessKey,
  HOB_FUNCTION_UPDATE_MS: '0',
};

export async function startFunctionService(
  environment: Record<string, string> = {},
  /** Puts into the data folder what is to be there at the start. */
  prepare: (dataFolder: string) => Promise<void> = async () => {},
): Promise<FunctionService> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-functions-'));
  const dataFolder = join(folder, 'data');
  await prepare(dataFolder);
  const server = await startServer(dataFolder, {
    environment: { ...functionEnvironment, ...environment },
  });
  const client = clientOf(server.url);
  const configuration = (name: string): Promise<FunctionConfiguration> =>
    client.send(new GetFunctionConfigurationCommand({ FunctionName: name }));
  const change = async (FunctionName: string, settings: Changes): Promise<void> => {
    await client.send(new UpdateFunctionConfigurationCommand({ FunctionName, ...settings }));
  };
  return {
    server,
    dataFolder,
    client,
    tier: await tierOf(server),
    configuration,
    async create(FunctionName, files, settings = {}) {
      await client.send(new CreateFunctionCommand(functionOf(FunctionName, files, settings)));
      await waitUntilFunctionActiveV2(patience(client), { FunctionName });
    },
    async update(FunctionName, settings) {
      await change(FunctionName, settings);
      await waitUntilFunctionUpdatedV2(patience(client), { FunctionName });
      return configuration(FunctionName);
    },
    async updateThatFails(FunctionName, settings) {
      await change(FunctionName, settings);
      const waited = waitUntilFunctionUpdatedV2(patience(client), { FunctionName });
      if (await waited.then(isTrue, isFalse)) throw new Error(`${FunctionName} was updated.`);
      return configuration(FunctionName);
    },
    invoke: (name, event, options) => invokeBy(client, name, event, options),
    async stop() {
      client.destroy();
      await server.stop();
      await removeFolder(folder);
      const faults = server.output().split('\n').filter(isFault);
      if (faults.length > 0) throw new Error(`The server failed:\n${faults.join('\n')}`);
    },
  };
}

/** The AWS SDK unmodified, except the endpoint and the credentials. */
export function clientOf(endpoint: string): LambdaClient {
  return new LambdaClient({ endpoint, region: 'us-east-1', credentials: accessKey });
}

/** A Node function by default. */
export function functionOf(
  FunctionName: string,
  files: Files,
  settings: Input = {},
): CreateFunctionCommandInput {
  return {
    FunctionName,
    Role: role,
    Runtime: 'nodejs24.x',
    Handler: 'index.handler',
    // Enough for a whole processor: tests of other things need not be slow.
    MemorySize: 1769,
    Code: { ZipFile: zipOf(files) },
    ...settings,
  };
}

export async function invokeBy(
  client: LambdaClient,
  FunctionName: string,
  event: unknown = {},
  options: Partial<InvokeCommandInput> = {},
): Promise<Invoked> {
  const Payload = JSON.stringify(event);
  const command = new InvokeCommand({ FunctionName, Payload, LogType: 'Tail', ...options });
  const response = await client.send(command);
  const text = Buffer.from(response.Payload ?? []).toString();
  return {
    error: response.FunctionError,
    value: text === '' ? undefined : JSON.parse(text),
    log: Buffer.from(response.LogResult ?? '', 'base64').toString(),
    version: response.ExecutedVersion,
  };
}

/** The line that says it may come after the one that says where the server is. */
export async function tierOf(server: RunningServer): Promise<IsolationTier> {
  for (;;) {
    const output = server.output();
    const tier = isolationTiers.find((each) => output.includes(`isolation tier "${each}"`));
    if (tier !== undefined) return tier;
    await delay(5);
  }
}

/** The clients' own waiters, asked to look more often than they do. */
function patience(client: LambdaClient): Parameters<typeof waitUntilFunctionUpdatedV2>[0] {
  return { client, maxWaitTime: 60, minDelay: 0.05, maxDelay: 0.2 };
}

const isFault = (line: string): boolean => /"level":(50|60)/.test(line);
const isTrue = (): boolean => true;
const isFalse = (): boolean => false;
