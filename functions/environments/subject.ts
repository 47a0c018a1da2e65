import type { FailureReasonCode } from '#functions-contract/state-codes.ts';

import type { Configuration } from '../configuration/configuration.ts';
import type { SealedVariables } from '../configuration/sealed-variables.ts';

/** What an environment is started for. */
export interface Subject {
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
}

/** Why an environment could not be made or did not start. */
export interface StartFailure {
  readonly code: FailureReasonCode;
  readonly text: string;
}
