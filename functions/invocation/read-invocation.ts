import { isUtf8 } from 'node:buffer';

import { present } from '#platform/present.ts';

import { latest } from '../configuration/function-record.ts';
import type { VersionSpec } from '../environments/version-spec.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import { findJsonFault } from '../json/find-json-fault.ts';
import { functionArn, type FunctionReference, readFunctionName } from '../model/function-name.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { functionNotFound } from '../versions/find-function.ts';
import type { Invocable } from './invocation-store.ts';
import { checkInvocable, type Invocation, type RunPorts } from './run-function.ts';
import { checkAddress } from './targets.ts';

/** An event as a caller sends it. */
export interface NewEvent {
  readonly requestId: string;
  /** Version or alias as invoked. */
  readonly qualifier: string | undefined;
  /** JSON. */
  readonly payload: Uint8Array;
  readonly clientContext: string | undefined;
  readonly tenantId: string | undefined;
  readonly traceHeader: string | undefined;
}

/** The input that all operations that invoke a function have in common. */
interface InvocationInput {
  readonly FunctionName: string;
  readonly Qualifier?: string | undefined;
  readonly InvocationType?: 'Event' | 'RequestResponse' | 'DryRun' | undefined;
  readonly Payload?: Uint8Array | undefined;
  readonly ClientContext?: string | undefined;
  readonly TenantId?: string | undefined;
}

/** An invocation whose input is valid and whose target exists. */
interface RequestedInvocation {
  readonly reference: FunctionReference;
  readonly target: Invocable;
  /** Undefined while the version has never been provisioned. */
  readonly spec: VersionSpec | undefined;
  /** For an asynchronous invocation, the event to store. */
  readonly event: NewEvent;
  /** For a synchronous invocation. */
  readonly invocation: Invocation;
}

/**
 * Reads and checks an invocation. `Event` and `DryRun` are checked against the function here, because the caller gets no later
 * error; `RequestResponse` is checked when the function runs.
 */
export async function readInvocation(
  {
    settings,
    targets,
    versionSpecs,
  }: Pick<SystemPorts, 'settings'> & Pick<RunPorts, 'targets' | 'versionSpecs'>,
  input: InvocationInput,
  {
    requestId,
    traceHeader,
  }: { readonly requestId: string; readonly traceHeader: string | undefined },
): Promise<RequestedInvocation> {
  const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
  const { name, qualifier } = reference;
  const payload = input.Payload ?? emptyEvent;
  checkJsonPayload(payload);
  const clientContext = readClientContext(input.ClientContext);
  const target = await targets.find(reference);
  if (!target) throw functionNotFound(settings, name, qualifier ?? latest);
  const spec = await versionSpecs.of(target);
  const { InvocationType, TenantId: tenantId } = input;
  if (spec && (InvocationType === 'DryRun' || InvocationType === 'Event')) {
    checkAddress(spec, { tenantId, qualified: qualifier !== undefined });
  }
  if (InvocationType === 'DryRun') checkInvocable(target);
  const invocation: Invocation = {
    requestId,
    functionArn: functionArn(settings, name, qualifier),
    payload,
    ...present({ traceHeader, clientContext, tenantId }),
  };
  const event = { requestId, qualifier, payload, clientContext, tenantId, traceHeader };
  return { reference, target, spec, event, invocation };
}

/** No payload counts as an empty object. */
export const emptyEvent: Uint8Array = Buffer.from('{}');

/** Refuses a payload that is not JSON: functions rely on it. */
export function checkJsonPayload(payload: Uint8Array): void {
  if (!isUtf8(payload)) {
    const { position, message } = firstWrongByte(payload);
    // The parser had already read the byte itself.
    throw notJson(message, position + 2);
  }
  // A byte order mark is no part of the text.
  const text = byteOrderMark.equals(payload.subarray(0, 3)) ? payload.subarray(3) : payload;
  const position = findJsonFault(text);
  if (position === undefined) return;
  const isEnd = position === text.length;
  throw notJson(isEnd ? 'Unexpected end-of-input' : 'Unexpected character', position + 1);
}

const byteOrderMark = Buffer.from('\ufeff');

function notJson(message: string, column: number): FunctionsError {
  return new FunctionsError(
    'InvalidRequestContentException',
    `Could not parse request body into json: Could not parse payload into json: ${message}\n at [Source: REDACTED (\`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION\` disabled); line: 1, column: ${column}]`,
  );
}

/** The first byte that is not valid UTF-8. */
function firstWrongByte(bytes: Uint8Array): { position: number; message: string } {
  // Decoding replaces invalid bytes, so the first difference is their position.
  const readable = Buffer.from(Buffer.from(bytes).toString());
  const position = bytes.findIndex((byte, index) => byte !== readable[index]);
  const byte = bytes[position] ?? 0;
  const startsNothing = byte < 0xc2 || byte > 0xf4;
  const firstByte = startsNothing ? 'start byte' : 'sequence from byte';
  return { position, message: `Invalid UTF-8 ${firstByte} 0x${byte.toString(16)}` };
}

/** JSON text of the client context, which is sent in base64. */
function readClientContext(base64: string | undefined): string | undefined {
  if (base64 === undefined) return undefined;
  const text = Buffer.from(base64, 'base64').toString();
  try {
    const context: unknown = JSON.parse(text);
    if (typeof context === 'object' && context !== null) return JSON.stringify(context);
  } catch {
    // Refused below, like anything else that is not an object.
  }
  throw invalidParameter('Client context must be a valid Base64-encoded JSON object.');
}
