import { present } from '#platform/present.ts';

import type { FailureReasonCode } from '#functions-contract/state-codes.ts';

import type { Configuration } from '../configuration/configuration.ts';
import { latest } from '../configuration/function-record.ts';
import type { SealedVariables } from '../configuration/variables-store.ts';
import { functionHashOf } from '../recursion/lineage.ts';

/** What an environment is started for. */
export interface VersionSpec {
  /** The id of the version's row. */
  readonly versionId: number;
  readonly functionName: string;
  /** Of the function in chains of requests (recursion/lineage.ts). */
  readonly functionHash: string;
  /** `$LATEST` or a number. */
  readonly version: string;
  /** A configuration never changes under its id. */
  readonly configurationId: number;
  readonly configuration: Configuration;
  readonly sealedVariables: SealedVariables | undefined;
  /** For functions that never let two tenants share an environment. */
  readonly tenantId?: string;
  /** Events that one environment processes at a time; 1 by default. */
  readonly concurrency?: number;
  /** ARN of the capacity provider that runs its environments; undefined: the host. */
  readonly capacityProvider?: string;
  /** Environments replace a snapshot: they start as restored ones, and one is always retained. */
  readonly fromSnapshot?: boolean;
  /** Prewarmed for provisioned concurrency. */
  readonly provisioned?: boolean;
  /** Of the event that an environment is started for: what the program requests while it starts continues the chain of requests of that event. */
  readonly traceHeader?: string;
}

/** The spec of an environment, from one configuration of a version. */
export function versionSpecOf(version: {
  readonly id: number;
  readonly functionId: number;
  readonly name: string;
  readonly version: string;
  readonly configurationId: number;
  readonly configuration: Configuration;
  readonly sealedVariables: SealedVariables | undefined;
}): VersionSpec {
  const { configuration } = version;
  const managed =
    configuration.CapacityProviderConfig?.LambdaManagedInstancesCapacityProviderConfig;
  const concurrency = managed?.PerExecutionEnvironmentMaxConcurrency;
  return {
    versionId: version.id,
    functionName: version.name,
    functionHash: functionHashOf(version.name, version.functionId),
    version: version.version,
    configurationId: version.configurationId,
    configuration,
    sealedVariables: version.sealedVariables,
    ...present({ concurrency }),
    ...(managed ? { capacityProvider: managed.CapacityProviderArn } : {}),
    ...(hasSnapshot(configuration, version.version) ? { fromSnapshot: true } : {}),
  };
}

/** Snapshots are of published versions only. */
export function hasSnapshot({ SnapStart }: Configuration, version: string): boolean {
  return SnapStart.ApplyOn === 'PublishedVersions' && version !== latest;
}

/** Why an environment could not be created or did not start: a failure of the function, or a fault of the service. */
export interface StartFailure {
  readonly code: FailureReasonCode;
  readonly text: string;
  /** The internal error: for the log, not for callers. */
  readonly fault?: unknown;
}
