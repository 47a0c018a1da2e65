import type { LastUpdateStatus, State, StateReasonCode } from '#functions-contract/state-codes.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import { functionArn, type AccountRegion } from '../model/function-name.ts';
import type { Configuration } from './configuration.ts';
import type { SealedVariables } from './variables-store.ts';

/** A version of a function as it is stored: its configurations and its states. */
export interface FunctionVersion {
  /** The id of the version's row. */
  readonly id: number;
  readonly functionId: number;
  readonly name: string;
  /** `$LATEST` or a number. */
  readonly version: string;
  /** The configuration that the API reports; during an update or after a failed one, not the one that runs. */
  readonly desired: StoredConfiguration;
  /** The configuration that invocations use; undefined until it was provisioned once. */
  readonly activeConfigurationId: number | undefined;
  readonly revisionId: string;
  /** Epoch milliseconds. */
  readonly lastModified: number;
  readonly state: StateWithReason<State>;
  /** Undefined until the function has been created completely. */
  readonly lastUpdate: StateWithReason<LastUpdateStatus> | undefined;
}

export interface StoredConfiguration {
  /** A configuration never changes under its id. */
  readonly id: number;
  readonly configuration: Configuration;
  /** Undefined when they were never given, which differs from an empty set. */
  readonly sealedVariables: SealedVariables | undefined;
}

export interface StateWithReason<Value extends string> {
  readonly value: Value;
  readonly reason?: Reason;
}

export interface Reason {
  readonly code: StateReasonCode;
  readonly text: string;
}

export const creating: Reason = { code: 'Creating', text: 'The function is being created.' };

/** Of a version that has not been used for a long time. */
export const idle: Reason = { code: 'Idle', text: 'The function has not been used for a while.' };

/** Of an inactive version that is restored because it was invoked. */
export const restoring: Reason = { code: 'Restoring', text: 'The function is being restored.' };

export function isRestoring({ state }: Pick<FunctionVersion, 'state'>): boolean {
  return state.value === 'Pending' && state.reason?.code === restoring.code;
}

/** Refuses a change while another is in progress, and one that was made for another revision (docs/specification/functions.md 4.3 and 4.4). */
export function checkChangeable(
  version: FunctionVersion,
  accountRegion: AccountRegion,
  revisionId: string | undefined,
): void {
  if (version.state.value === 'Pending') {
    throw new FunctionsError(
      'ResourceConflictException',
      `The operation cannot be performed at this time. The function is currently in the following state: ${version.state.value}`,
    );
  }
  if (version.lastUpdate?.value === 'InProgress') {
    throw new FunctionsError(
      'ResourceConflictException',
      `The operation cannot be performed at this time. An update is in progress for resource: ${functionArn(accountRegion, version.name)}`,
    );
  }
  checkRevision(version, revisionId);
}

/** Refuses a change that was made for another revision; an empty revision id is not checked. */
export function checkRevision(
  current: { readonly revisionId: string },
  revisionId: string | undefined,
  operation = 'GetFunction/GetAlias',
): void {
  if (!revisionId || revisionId === current.revisionId) return;
  throw new FunctionsError(
    'PreconditionFailedException',
    `The Revision Id provided does not match the latest Revision Id. Call the ${operation} API to retrieve the latest Revision Id`,
  );
}

export const latest = '$LATEST';

/** 0 is $LATEST. */
export function versionNumberOf({ version }: Pick<FunctionVersion, 'version'>): number {
  return version === latest ? 0 : Number(version);
}

/** The inverse of `versionNumberOf`. */
export function versionName(number: number): string {
  return number === 0 ? latest : String(number);
}

/** The number of the version that a qualifier names, 0 for `$LATEST` and `$LATEST.PUBLISHED`; -1, which none has, for all others. */
export function readVersionName(name: string): number {
  if (name === latest || name === `${latest}.PUBLISHED`) return 0;
  const number = /^\d+$/.test(name) ? Number(name) : 0;
  return number > 0 && Number.isSafeInteger(number) ? number : -1;
}
