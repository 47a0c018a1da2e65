import { FunctionsError, invalidParameter } from '../conventions/functions-error.ts';

/** No payload counts as an empty object. */
export const emptyEvent: Uint8Array = Buffer.from('{}');

/** Refuses a payload that is not JSON: functions are promised it is. */
export function checkPayload(payload: Uint8Array): void {
  try {
    JSON.parse(decoder.decode(payload));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const column = Number(/at position (\d+)/.exec(detail)?.[1] ?? payload.length) + 1;
    throw new FunctionsError(
      'InvalidRequestContentException',
      `Could not parse request body into json: Could not parse payload into json: ${words(detail)}\n at [Source: REDACTED (\`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION\` disabled); line: 1, column: ${column}]`,
    );
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Without what the parser quotes of the payload. */
function words(detail: string): string {
  return detail.startsWith('Unexpected end') || detail.startsWith('Unterminated')
    ? 'Unexpected end-of-input'
    : 'Unexpected character';
}

/** JSON text of what the caller says of itself; it travels in base64. */
export function readClientContext(base64: string | undefined): string | undefined {
  if (base64 === undefined) return undefined;
  const text = Buffer.from(base64, 'base64').toString();
  try {
    const context: unknown = JSON.parse(text);
    if (typeof context === 'object' && context !== null) return JSON.stringify(context);
  } catch {
    // Told below, like anything else that is not an object.
  }
  throw invalidParameter('Client context must be a valid Base64-encoded JSON object.');
}
