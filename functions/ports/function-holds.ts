import type { FailureReasonCode } from '#functions-contract/state-codes.ts';

/** What tests of clients hold back or let fail on a server that they control; no other server has it. */
export interface FunctionHolds {
  /** True: the version stays `InProgress`, and `resume` is called when it may be provisioned. */
  holdsUpdate(functionName: string, versionId: number, resume: () => void): boolean;
  /** Why the next update of the function fails; undefined: it does not. Each failure is given once. */
  takeFailure(
    functionName: string,
  ): { readonly code: FailureReasonCode; readonly text: string } | undefined;
}
