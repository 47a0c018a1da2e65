import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Operation } from '#functions-contract/operation.ts';

import { textMember } from '../calls/log-page.ts';
import type { Output, Session } from '../calls/session.ts';
import { CliError } from '../context/errors.ts';
import { visibleControls } from '#platform/visible-controls.ts';
import { inputMap, type InputMap } from '../validation/input-value.ts';

/**
 * An operation whose response is a payload. With an outfile the payload goes there and the rest is printed, as in the AWS CLI;
 * without one the payload alone is printed; at a terminal, status and version, the payload indented, and the end of the log, which is then requested.
 */
export async function runInvoke(
  operation: Operation,
  input: InputMap,
  outfile: string | undefined,
  session: Session,
): Promise<number> {
  const { terminal, sentInput } = withLogTailForTerminals(operation, input, outfile, session);
  const output = await session.call(operation, sentInput);
  const { rest, bytes } = await separated(operation, output);
  if (outfile !== undefined) {
    // Opened by its name, an output that is a file would lose what stands in it.
    if (outfile === '/dev/stdout') session.context.stdout.write(bytes);
    else writeOutfile(resolve(session.context.directory, outfile), outfile, bytes);
    return session.print(rest);
  }
  if (!terminal) {
    session.context.stdout.write(bytes);
    return 0;
  }
  session.context.stdout.write(invocationText(rest, bytes));
  return 0;
}

interface Separated {
  readonly bytes: Uint8Array;
  readonly rest: Output;
}

/** The payload, and what else the response says; of a stream also how it ended. */
async function separated(operation: Operation, output: Output): Promise<Separated> {
  const [name = '', member] =
    Object.entries(operation.output.members).find(
      ([, { location }]) => location.in === 'payload',
    ) ?? [];
  const { [name]: payload, ...rest } = output;
  const bytes = payload instanceof Uint8Array ? payload : new Uint8Array();
  if (member?.shape.type !== 'stream') return { bytes, rest };
  const { readEventStream } = await import('../wire/event-stream.ts');
  const streamed = readEventStream(bytes);
  const { ErrorCode: error, ...end } = streamed.end ?? { ErrorCode: 'StreamCutOff' };
  return {
    bytes: streamed.payload,
    rest: { ...rest, ...(error === undefined ? {} : { FunctionError: error }), ...end },
  };
}

interface TerminalInput {
  /** A person reads the response. */
  readonly terminal: boolean;
  readonly sentInput: InputMap;
}

/** For people the end of the log is asked for as well, unless they said what they want of it. */
function withLogTailForTerminals(
  operation: Operation,
  input: InputMap,
  outfile: string | undefined,
  session: Session,
): TerminalInput {
  const { isTerminal } = session.context;
  const terminal = outfile === undefined && isTerminal.stdout;
  const waits =
    !Object.hasOwn(input, 'InvocationType') || input['InvocationType'] === 'RequestResponse';
  const silent = 'LogType' in operation.input.members && !Object.hasOwn(input, 'LogType');
  return {
    terminal,
    sentInput:
      terminal && waits && silent
        ? inputMap([...Object.entries(input), ['LogType', 'Tail']])
        : input,
  };
}

function writeOutfile(path: string, outfile: string, bytes: Uint8Array): void {
  try {
    writeFileSync(path, bytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(255, `Cannot write the payload to ${outfile}: ${reason}`);
  }
}

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
    // Not every response is JSON.
    return `${visibleControls(text)}\n`;
  }
}

const indented = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${visibleControls(line)}\n`)
    .join('');
