import type { FailureReasonCode } from '#functions-contract/state-codes.ts';

import type { Configuration } from '../configuration/configuration.ts';
import { latest } from '../configuration/function-record.ts';
import type { SealedVariables } from '../configuration/sealed-variables.ts';

/** What an environment is started for. */
export interface VersionSpec {
  /** Of the version's row. */
  readonly versionId: number;
  readonly functionName: string;
  /** `$LATEST` or a number. */
  readonly version: string;
  /** A configuration never changes under its id. */
  readonly configurationId: number;
  readonly configuration: Configuration;
  readonly sealedVariables: SealedVariables | undefined;
  /** For functions that never let two tenants share an environment. */
  readonly tenantId?: string;
  /** Events that one environment works on at a time; 1 unless told. */
  readonly concurrency?: number;
  /** ARN of what has the room for its environments; undefined: the host at large. */
  readonly capacityProvider?: string;
  /** Environments stand in for a snapshot: they are restored, and one is kept. */
  readonly fromSnapshot?: boolean;
  /** Started ahead because that is what provisioned concurrency is. */
  readonly provisioned?: boolean;
}

/** What an environment is started for, from what a version serves with. */
export function versionSpecOf(version: {
  readonly id: number;
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
    version: version.version,
    configurationId: version.configurationId,
    configuration,
    sealedVariables: version.sealedVariables,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(managed ? { capacityProvider: managed.CapacityProviderArn } : {}),
    ...(hasSnapshot(configuration, version.version) ? { fromSnapshot: true } : {}),
  };
}

/** Snapshots are of published versions only. */
export function hasSnapshot({ SnapStart }: Configuration, version: string): boolean {
  return SnapStart.ApplyOn === 'PublishedVersions' && version !== latest;
}

/** Why an environment could not be made or did not start. */
export interface StartFailure {
  readonly code: FailureReasonCode;
  readonly text: string;
  /** What of ours failed: for the log, not for callers. */
  readonly fault?: unknown;
}
