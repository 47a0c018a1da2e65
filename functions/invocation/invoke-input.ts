import { isUtf8 } from 'node:buffer';

import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';

/** No payload counts as an empty object. */
export const emptyEvent: Uint8Array = Buffer.from('{}');

/** Refuses a payload that is not JSON: functions rely on it. */
export function checkJsonPayload(payload: Uint8Array): void {
  if (!isUtf8(payload)) {
    const { position, message } = firstWrongByte(payload);
    // The parser had already read the byte itself.
    throw notJson(message, position + 2);
  }
  try {
    JSON.parse(decoder.decode(payload));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const position = Number(/at position (\d+)/.exec(detail)?.[1] ?? payload.length);
    throw notJson(messageOf(detail), position + 1);
  }
}

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

const decoder = new TextDecoder();

/** Without the part of the payload that the parser quotes. */
function messageOf(detail: string): string {
  return detail.startsWith('Unexpected end') || detail.startsWith('Unterminated')
    ? 'Unexpected end-of-input'
    : 'Unexpected character';
}

/** JSON text of the client context, which is sent in base64. */
export function readClientContext(base64: string | undefined): string | undefined {
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
