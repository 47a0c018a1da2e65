import { createAlias, updateAlias } from '#functions-contract/operations/aliases.ts';
import {
  createEventSourceMapping,
  updateEventSourceMapping,
} from '#functions-contract/operations/event-source-mappings.ts';
import {
  createFunctionUrlConfig,
  updateFunctionUrlConfig,
} from '#functions-contract/operations/function-urls.ts';
import {
  createFunction,
  getFunctionConfiguration,
  publishVersion,
  updateFunctionCode,
} from '#functions-contract/operations/functions.ts';
import { addPermission, removePermission } from '#functions-contract/operations/permissions.ts';
import { updateFunctionConfiguration } from '#functions-contract/operations/update-function-configuration.ts';

import {
  type DeployCode,
  type DeployService,
  memberOf,
  type Output,
  textOf,
} from './deploy-service.ts';
import {
  type Change,
  changesQueue,
  findMapping,
  type FunctionPlan,
  invokedName,
  planFunction,
  statementId,
} from './plan.ts';
import type { FunctionTemplate } from './template.ts';

export interface DeployOptions {
  /** The role of new functions for which the template names none. */
  readonly role: string;
  /** Publishes a version with this description, even if the template has no alias. */
  readonly versionDescription?: string;
  /** Gets the states that the function passes through. */
  readonly onState?: (state: string) => void;
}

export type DeployResult =
  | { readonly kind: 'unchanged' | 'created' | 'updated'; readonly version: string | undefined }
  | { readonly kind: 'failed'; readonly reason: string };

/** Attempts at a deployment whose function others change after the plan was made; each looks at the function again. */
const attemptsMax = 5;

/**
 * Makes a function what its template says, and waits until it is. Running it again after a crash completes it. A configuration that does
 * not start is reported with its reason, and the previous one keeps running.
 */
export async function deployFunction(
  service: DeployService,
  wanted: FunctionTemplate,
  code: DeployCode,
  options: DeployOptions,
): Promise<DeployResult> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptDeployment(service, wanted, code, options);
    } catch (error) {
      if (error instanceof NotActive) return { kind: 'failed', reason: error.message };
      const overtaken = overtakenCodes.has(service.refusalCode(error) ?? '');
      if (!overtaken || attempt >= attemptsMax) throw error;
      await untilUpdated(service, wanted.name, options);
    }
  }
}

const overtakenCodes = new Set(['PreconditionFailedException', 'ResourceConflictException']);

/** The function does not become what it should; the message says why. */
class NotActive extends Error {}

async function attemptDeployment(
  service: DeployService,
  wanted: FunctionTemplate,
  code: DeployCode,
  options: DeployOptions,
): Promise<DeployResult> {
  const plan = await planFunction(service, wanted, code);
  const parts = new Set(plan.changes.map(({ part }) => part));
  if (plan.current === undefined) await create(service, plan, options);
  else await update(service, plan, plan.current, parts, options);
  const publishes = wanted.alias !== undefined || options.versionDescription !== undefined;
  const version = publishes ? await publish(service, wanted, parts, options) : undefined;
  if (wanted.url) await applyUrl(service, wanted, plan.changes);
  await applyQueues(service, wanted, plan.changes);
  if (plan.current === undefined) return { kind: 'created', version };
  return { kind: parts.size === 0 ? 'unchanged' : 'updated', version };
}

async function create(
  service: DeployService,
  { wanted, code }: FunctionPlan,
  options: DeployOptions,
): Promise<void> {
  await service.call(createFunction, {
    FunctionName: wanted.name,
    Role: options.role,
    ...wanted.settings,
    Code: code.source,
  });
  await untilActive(service, wanted.name, options);
}

/**
 * The configuration before the code: a new handler does not start with the old code, which then keeps running, and both serve together once
 * the new code is there.
 */
async function update(
  service: DeployService,
  { wanted, code }: FunctionPlan,
  current: Output,
  parts: ReadonlySet<Change['part']>,
  options: DeployOptions,
): Promise<void> {
  const { Environment, Architectures, ...settings } = wanted.settings;
  const deploysCode = parts.has('code') || parts.has('architecture') || parts.has('retry');
  const FunctionName = wanted.name;
  if (parts.has('settings')) {
    await service.call(updateFunctionConfiguration, {
      FunctionName,
      RevisionId: textOf(current['RevisionId']),
      ...settings,
      ...(Environment && { Environment: { Variables: mergedVariables(current, Environment) } }),
    });
    if (deploysCode) await untilUpdated(service, FunctionName, options);
    else await untilActive(service, FunctionName, options);
  }
  if (deploysCode) {
    await service.call(updateFunctionCode, { FunctionName, Architectures, ...code.source });
    await untilActive(service, FunctionName, options);
  }
}

/** The service replaces all variables together; those that the template does not name stay. */
function mergedVariables(
  current: Output,
  { Variables }: NonNullable<FunctionTemplate['settings']['Environment']>,
): Record<string, string> {
  const known = Object.entries(Object(memberOf(current['Environment'], 'Variables')));
  const texts = known.flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  return { ...Object.fromEntries(texts), ...Variables };
}

async function publish(
  service: DeployService,
  { name: FunctionName, alias }: FunctionTemplate,
  parts: ReadonlySet<Change['part']>,
  options: DeployOptions,
): Promise<string | undefined> {
  if (options.versionDescription === undefined && parts.size === 0) return undefined;
  const Description = options.versionDescription;
  // The same version as before where nothing has changed since.
  const published = await service.call(publishVersion, { FunctionName, Description });
  const FunctionVersion = textOf(published['Version']);
  await untilActive(service, FunctionName, options, FunctionVersion);
  if (alias === undefined) return FunctionVersion;
  const input = { FunctionName, Name: alias, FunctionVersion };
  try {
    await service.call(updateAlias, input);
  } catch (error) {
    if (service.refusalCode(error) !== 'ResourceNotFoundException') throw error;
    await service.call(createAlias, input);
  }
  return FunctionVersion;
}

async function applyUrl(
  service: DeployService,
  { name: FunctionName, alias: Qualifier, url, logicalId }: FunctionTemplate,
  changes: readonly Change[],
): Promise<void> {
  if (!url) return;
  const named = { FunctionName, Qualifier };
  if (changes.some(({ part }) => part === 'url')) {
    const { Cors, ...settings } = url;
    const input = { ...named, ...settings, ...(Cors && { Cors: { ...Cors } }) };
    try {
      await service.call(updateFunctionUrlConfig, input);
    } catch (error) {
      if (service.refusalCode(error) !== 'ResourceNotFoundException') throw error;
      await service.call(createFunctionUrlConfig, input);
    }
  }
  const permission = changes.find(({ part }) => part === 'permission');
  if (!permission) return;
  const statement = { ...named, StatementId: statementId(logicalId) };
  if (permission.after === undefined) await service.call(removePermission, statement);
  else {
    await service.call(addPermission, {
      ...statement,
      Action: 'lambda:InvokeFunctionUrl',
      Principal: '*',
      FunctionUrlAuthType: 'NONE',
    });
  }
}

async function applyQueues(
  service: DeployService,
  wanted: FunctionTemplate,
  changes: readonly Change[],
): Promise<void> {
  for (const queue of wanted.queues) {
    if (!changesQueue(changes, queue)) continue;
    const mapping = await findMapping(service, wanted, queue);
    const { FilterCriteria, ScalingConfig, ...settings } = queue.settings;
    const input = {
      ...settings,
      ...(FilterCriteria && {
        FilterCriteria: { Filters: FilterCriteria.Filters.map(({ Pattern }) => ({ Pattern })) },
      }),
      ...(ScalingConfig && { ScalingConfig: { ...ScalingConfig } }),
    };
    const UUID = textOf(mapping?.['UUID']);
    if (UUID !== undefined) await service.call(updateEventSourceMapping, { UUID, ...input });
    else {
      const { EventSourceArn } = queue;
      const FunctionName = invokedName(wanted);
      await service.call(createEventSourceMapping, { FunctionName, EventSourceArn, ...input });
    }
  }
}

/** Time that a deployment waits for its function. */
const waitMillisecondsMax = 300_000;

/** Waits for a change that is under way; the configuration after it. */
async function untilUpdated(
  service: DeployService,
  FunctionName: string,
  { onState }: DeployOptions,
  Qualifier?: string,
): Promise<Output> {
  let shown: string | undefined;
  for (let waited = 0; ;) {
    const configuration = await service.call(getFunctionConfiguration, { FunctionName, Qualifier });
    const state = stateOf(configuration);
    if (state !== shown) onState?.(state);
    shown = state;
    if (state !== 'Pending' && state !== 'InProgress') return configuration;
    if (waited >= waitMillisecondsMax) {
      throw new NotActive(`The update is still in progress after ${waitMillisecondsMax / 1000} s.`);
    }
    const milliseconds = Math.min(1000, Math.max(50, waited));
    await service.pause(milliseconds);
    waited += milliseconds;
  }
}

async function untilActive(
  service: DeployService,
  FunctionName: string,
  options: DeployOptions,
  Qualifier?: string,
): Promise<void> {
  const configuration = await untilUpdated(service, FunctionName, options, Qualifier);
  for (const prefix of ['State', 'LastUpdateStatus']) {
    if (configuration[prefix] !== 'Failed') continue;
    const code = textOf(configuration[`${prefix}ReasonCode`]) ?? 'Failed';
    const reason = textOf(configuration[`${prefix}Reason`]) ?? 'no reason given';
    throw new NotActive(`${code}: ${reason}`);
  }
}

/** `LastUpdateStatus`, or `State` of a function that is being created. */
function stateOf(configuration: Output): string {
  const { State, LastUpdateStatus } = configuration;
  const state = State === 'Pending' || State === 'Failed' ? State : (LastUpdateStatus ?? State);
  return textOf(state) ?? 'Active';
}
