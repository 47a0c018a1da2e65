import type { FailureReasonCode } from '#functions-contract/state-codes.ts';
import { initSecondsMax } from '#functions-contract/limits.ts';
import { storageFailure } from '#platform/storage-failure.ts';

import { ArchivesUnavailableError } from '../code/archives/archive-faults.ts';
import { parseQuickly } from '../json/structure-bytes.ts';
import {
  LauncherLostError,
  LauncherUnavailableError,
  type ProgramEnd,
} from '../launcher/launcher.ts';
import { exitMessage } from '../logs/platform-errors.ts';
import { EnvironmentLostError } from './execution-environment.ts';
import type { InitFailure } from './runtime-process.ts';
import type { StartFailure } from './version-spec.ts';

/** An internal error. The cause could reveal details of the host, so callers do not see it. */
export function internalError(fault: unknown): StartFailure {
  const text = 'Internal error while starting the function. See the server log.';
  return { code: 'InternalError', text, fault };
}

const stopping = new Error('The service is shutting down.');

export const stoppingFailure: StartFailure = { code: 'InternalError', text: stopping.message };

/** Whether a fault is temporary: storage that is full or unavailable, a launcher process that is restarting, a server that stops. */
export function isTemporaryFault(fault: unknown): boolean {
  if (fault === stopping) return true;
  if (fault instanceof LauncherUnavailableError || fault instanceof LauncherLostError) return true;
  if (fault instanceof ArchivesUnavailableError) return true;
  if (fault instanceof EnvironmentLostError) {
    return fault.cause === undefined || isTemporaryFault(fault.cause);
  }
  return storageFailure(fault) !== undefined;
}

/**
 * A temporary fault says nothing about the function, so it is thrown: background work is then tried again, and after a stop the next
 * start of the server resumes it.
 */
export function throwIfTemporaryFault(failure: StartFailure | undefined): void {
  const fault = failure === stoppingFailure ? stopping : failure?.fault;
  if (isTemporaryFault(fault)) throw fault;
}

/** Throws the fault of a failed start, so that background work is logged as failed. Called after the outcome has been stored. */
export function throwIfFault(failure: StartFailure | undefined): void {
  if (failure?.fault !== undefined) throw failure.fault;
}

/** Why a program that was prewarmed is not ready, as the function's `StateReason` reports it. */
export function startFailure(failure: InitFailure): StartFailure {
  switch (failure.kind) {
    case 'timeout':
      return {
        code: 'FunctionError.InitTimeout',
        text: `Initialization exceeded ${initSecondsMax} seconds: the function did not request its first event.`,
      };
    case 'reported': {
      const { type, payload } = failure.error;
      return { code: 'FunctionError.RuntimeInitError', text: `${type}: ${messageIn(payload)}` };
    }
    case 'extension': {
      const { name, errorType, message } = failure;
      const text = `The extension ${name} ${message} (${errorType}).`;
      return { code: 'FunctionError.ExtensionInitError', text };
    }
    case 'ended':
      return { code: codeOf(failure.end), text: exitMessage(failure.end).replace(/\.?$/, '.') };
  }
}

function codeOf(end: ProgramEnd): FailureReasonCode {
  switch (end.kind) {
    case 'exited':
      // The exit statuses with which shells and wrappers report that there was no program to run.
      if (end.status === 127) return 'FunctionError.InvalidEntryPoint';
      return end.status === 126
        ? 'FunctionError.PermissionDenied'
        : 'FunctionError.RuntimeInitError';
    case 'killed':
      return end.outOfMemory
        ? 'FunctionError.InitResourceExhausted'
        : 'FunctionError.RuntimeInitError';
    case 'lost':
      return 'InternalError';
    case 'not-started':
      return notStartedCodes[end.reason];
  }
}

const notStartedCodes = {
  'no-such-file': 'FunctionError.InvalidEntryPoint',
  'not-permitted': 'FunctionError.PermissionDenied',
  'no-such-directory': 'FunctionError.InvalidWorkingDirectory',
  other: 'InternalError',
} as const satisfies Record<string, FailureReasonCode>;

/** A program's own message that a reason contains; the rest is cut. */
const messageCharactersMax = 500;

/** The message of a posted error; it is the function's own text. */
function messageIn(payload: Uint8Array): string {
  const text = Buffer.from(payload).toString();
  try {
    const error = parseQuickly(payload);
    if (typeof error === 'object' && error !== null && 'errorMessage' in error) {
      return String(error.errorMessage).slice(0, messageCharactersMax);
    }
  } catch {
    // Not JSON: reported as it is.
  }
  return text.slice(0, messageCharactersMax);
}
