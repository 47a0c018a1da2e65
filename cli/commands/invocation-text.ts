import type { Output } from '../calls/call-operation.ts';
import { textMember } from '../calls/text-member.ts';
import { visibleControls } from '../output/visible-controls.ts';

/** What a function answered and the end of its log, for a person at a terminal. */
export function invocationText(output: Output, payload: Uint8Array): string {
  const { FunctionError: error, LogResult: log } = output;
  const version = textMember(output, 'ExecutedVersion', '$LATEST');
  const head =
    error === undefined
      ? `${textMember(output, 'StatusCode')} from version ${version}`
      : `The function failed (${textMember(output, 'FunctionError')}), version ${version}`;
  const lines =
    typeof log === 'string' && log !== ''
      ? `\nEnd of the log:\n${indented(Buffer.from(log, 'base64').toString('utf8'))}`
      : '';
  return `${visibleControls(head)}\n\n${payloadText(payload)}${lines}`;
}

function payloadText(payload: Uint8Array): string {
  const text = new TextDecoder().decode(payload);
  if (text === '') return 'No payload.\n';
  try {
    return `${visibleControls(JSON.stringify(JSON.parse(text), undefined, 2))}\n`;
  } catch {
    // Not every answer is JSON.
    return `${visibleControls(text)}\n`;
  }
}

const indented = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${visibleControls(line)}\n`)
    .join('');
