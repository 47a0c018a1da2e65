import { CliError } from './context/errors.ts';
import { visibleControls } from '#platform/visible-controls.ts';
import type { CliContext } from './context/cli-context.ts';

/** Prints what went wrong on stderr and returns the exit code; stdout is for output only. */
export function printFailure(error: unknown, args: readonly string[], context: CliContext): number {
  const failure = error instanceof CliError ? error : unexpected(error);
  if (failure.message !== '' || failure.exitCode !== 130) {
    const text = asJson(args) ? jsonFailure(failure) : textFailure(failure, context);
    context.stderr.write(context.isTerminal.stderr ? visibleControls(text) : text);
  }
  if (args.includes('--debug') && error instanceof Error)
    context.stderr.write(visibleControls(`${error.stack ?? error.message}\n`));
  return failure.exitCode;
}

/** Read from the raw arguments: their parsing may have failed. */
function asJson(args: readonly string[]): boolean {
  const index = args.lastIndexOf('--cli-error-format');
  return args.includes('--cli-error-format=json') || (index !== -1 && args[index + 1] === 'json');
}

/** Hints are for people: scripts that compare stderr see only the message of the AWS CLI. */
function textFailure(failure: CliError, context: CliContext): string {
  const wanted = context.environment['HOB_CLI_HINTS'];
  const shown = wanted === undefined || wanted === '' ? context.isTerminal.stderr : wanted === 'on';
  const hint = shown ? hintOf(failure) : undefined;
  return `\n${failure.message}\n${hint === undefined ? '' : `\nHint: ${hint}\n`}`;
}

function jsonFailure(failure: CliError): string {
  const facts = {
    ExitCode: failure.exitCode,
    Code: 'code' in failure ? failure.code : undefined,
    Message: 'serviceMessage' in failure ? failure.serviceMessage : failure.message.trim(),
    Operation: 'operation' in failure ? failure.operation : undefined,
    Status: 'status' in failure ? failure.status : undefined,
    Hint: hintOf(failure),
  };
  return `${JSON.stringify(facts)}\n`;
}

function hintOf(failure: CliError): string | undefined {
  return 'hint' in failure && typeof failure.hint === 'string' ? failure.hint : undefined;
}

/** The system's messages are sentences; its stack is for `--debug`. */
function unexpected(error: unknown): CliError {
  return new CliError(255, error instanceof Error ? error.message : String(error));
}
