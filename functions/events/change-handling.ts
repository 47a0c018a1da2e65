import { present } from '#platform/present.ts';

import type {
  putFunctionEventInvokeConfig,
  getFunctionEventInvokeConfig,
} from '#functions-contract/operations/event-invoke-config.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { latest } from '../configuration/function-record.ts';
import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import { functionArn, readFunctionName, type AccountRegion } from '../model/function-name.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { findReferred } from '../versions/find-function.ts';
import { checkDestinations } from './check-destinations.ts';
import {
  findHandling,
  replaceHandling,
  type EventInvokeConfig,
} from './event-invoke-config-store.ts';
import { usualHandling, type EventHandling } from './event.ts';

type EventInvokeConfigInput = StructureOf<(typeof putFunctionEventInvokeConfig)['input']>;

/** Replaces the handling of events, or updates an existing one. */
export async function changeHandling(
  {
    database,
    clock,
    settings,
    configured,
  }: Pick<SystemPorts, 'database' | 'clock' | 'settings'> & {
    readonly configured: ConfiguredResources;
  },
  input: EventInvokeConfigInput,
  basis: 'nothing' | 'present',
): Promise<EventInvokeConfigOutput> {
  const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
  const { name, qualifier = latest } = reference;
  await configured.refresh?.();
  const config = await database.write(async (sql) => {
    const found = await findReferred(sql, reference);
    if (!found) throw functionMissing();
    if (givesNothing(input)) throw nothingGiven();
    const stored = await findHandling(sql, found.functionId, qualifier);
    if (!stored && basis === 'present') throw handlingMissing(settings, name, qualifier);
    const before = basis === 'present' && stored ? stored : usualHandling;
    const next = { ...handlingOf(input, before), qualifier, modifiedAt: clock.now() };
    await checkDestinations(sql, next, name, { settings, configured });
    await replaceHandling(sql, found.functionId, next);
    return next;
  });
  return representEventInvokeConfig(config, name, settings);
}

export function functionMissing(): FunctionsError {
  return new FunctionsError('ResourceNotFoundException', "The function doesn't exist.");
}

export function handlingMissing(
  accountRegion: AccountRegion,
  name: string,
  qualifier: string,
): FunctionsError {
  return new FunctionsError(
    'ResourceNotFoundException',
    `The function ${functionArn(accountRegion, name, qualifier)} doesn't have an EventInvokeConfig`,
  );
}

function nothingGiven(): FunctionsError {
  return invalidParameter(
    'You must specify at least one of error handling or destination setting.',
  );
}

function givesNothing(input: EventInvokeConfigInput): boolean {
  const { MaximumRetryAttempts, MaximumEventAgeInSeconds, DestinationConfig } = input;
  return [MaximumRetryAttempts, MaximumEventAgeInSeconds, DestinationConfig].every(
    (given) => given === undefined,
  );
}

/** An empty destination means none. */
function handlingOf(input: EventInvokeConfigInput, before: EventHandling): EventHandling {
  const { OnSuccess, OnFailure } = input.DestinationConfig ?? {};
  return {
    retryAttemptsMax: input.MaximumRetryAttempts ?? before.retryAttemptsMax,
    ageSecondsMax: input.MaximumEventAgeInSeconds ?? before.ageSecondsMax,
    onSuccess: OnSuccess ? OnSuccess.Destination || undefined : before.onSuccess,
    onFailure: OnFailure ? OnFailure.Destination || undefined : before.onFailure,
  };
}

export type EventInvokeConfigOutput = StructureOf<(typeof getFunctionEventInvokeConfig)['output']>;

/** Both destinations are always present, empty for none (recorded). */
export function representEventInvokeConfig(
  config: EventInvokeConfig,
  functionName: string,
  accountRegion: AccountRegion,
): EventInvokeConfigOutput {
  const { qualifier, modifiedAt, retryAttemptsMax, ageSecondsMax, onSuccess, onFailure } = config;
  return {
    LastModified: modifiedAt / 1000,
    FunctionArn: functionArn(accountRegion, functionName, qualifier),
    ...present({ MaximumRetryAttempts: retryAttemptsMax, MaximumEventAgeInSeconds: ageSecondsMax }),
    DestinationConfig: {
      OnSuccess: onSuccess === undefined ? {} : { Destination: onSuccess },
      OnFailure: onFailure === undefined ? {} : { Destination: onFailure },
    },
  };
}
