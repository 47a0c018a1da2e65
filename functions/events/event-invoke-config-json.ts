import type { getFunctionEventInvokeConfig } from '#functions-contract/operations/event-invoke-config.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { functionArn, type Site } from '../model/function-name.ts';
import type { EventInvokeConfig } from './event-invoke-config-store.ts';

export type EventInvokeConfigOutput = StructureOf<(typeof getFunctionEventInvokeConfig)['output']>;

/** Both destinations are always present, empty for none (recorded). */
export function representEventInvokeConfig(
  config: EventInvokeConfig,
  functionName: string,
  site: Site,
): EventInvokeConfigOutput {
  const { qualifier, modifiedAt, retryAttemptsMax, ageSecondsMax, onSuccess, onFailure } = config;
  return {
    LastModified: modifiedAt / 1000,
    FunctionArn: functionArn(site, functionName, qualifier),
    ...(retryAttemptsMax === undefined ? {} : { MaximumRetryAttempts: retryAttemptsMax }),
    ...(ageSecondsMax === undefined ? {} : { MaximumEventAgeInSeconds: ageSecondsMax }),
    DestinationConfig: {
      OnSuccess: onSuccess === undefined ? {} : { Destination: onSuccess },
      OnFailure: onFailure === undefined ? {} : { Destination: onFailure },
    },
  };
}
