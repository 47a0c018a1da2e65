import { type Output, openSession, type Session } from '../calls/session.ts';
import { type Progress, showProgress } from '../calls/progress.ts';
import { ServiceResponseError } from '../calls/service-response-error.ts';
import { CliError } from '../context/errors.ts';
import { parseArgs } from '../input/argument-parser.ts';
import type { Globals } from '../input/globals.ts';
import { parseOperationArgs } from '../input/operation-args.ts';
import { readInput } from '../input/read-input.ts';
import { loadOperation } from '../operations/operations.ts';
import { UsageError } from '../context/usage.ts';
import type { CliContext } from '../context/cli-context.ts';
import { type Waiter, waiters, type Watched } from '../operations/waiters.ts';

/** `wait NAME`: silent, with exit code 0 once what is waited for has come and 255 when it cannot come or takes too long. */
export async function runWait(
  args: readonly string[],
  globals: Globals,
  context: CliContext,
): Promise<number> {
  const parsed = parseArgs(args, [], [{ name: 'subcommand', choices: Object.keys(waiters) }]);
  const name = parsed.positionals.get('subcommand');
  const waiter = waiters[name ?? ''];
  if (name === undefined || waiter === undefined) {
    if (!args.includes('--help'))
      throw new UsageError('the following arguments are required: subcommand');
    return (await import('../help/print-help.ts')).printWaiters(globals, context);
  }
  const operation = await loadOperation(waiter.operation);
  if (operation === undefined) throw new Error(`${waiter.operation} is not in the contract`);
  const session = await openSession(operation.name, globals, context);
  const given = parseOperationArgs(operation, parsed.rest, globals.paginate);
  const input = await readInput(operation, given, session.profile.binaryFormat, context);
  const progress = showProgress(context, name);
  try {
    await attend(waiter, () => session.call(operation, input), session, progress);
  } finally {
    progress.end();
  }
  return 0;
}

type Look = () => Promise<Output>;

async function attend(
  waiter: Waiter,
  look: Look,
  { context }: Session,
  progress: Progress,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const seen = await observe(waiter, look);
    if (seen.kind === 'success') return;
    if (seen.kind === 'failure') throw failure(waiter, seen.reason);
    if (attempt >= waiter.attemptsMax)
      throw failure(waiter, `Max attempts exceeded${seen.previously}`);
    progress.tick(attempt * waiter.seconds, seen.state);
    await context.pause(waiter.seconds * 1000);
  }
}

type Seen =
  | { readonly kind: 'success' }
  | { readonly kind: 'failure'; readonly reason: string }
  | { readonly kind: 'retry'; readonly state: string; readonly previously: string };

async function observe(waiter: Waiter, look: Look): Promise<Seen> {
  try {
    const output = await look();
    return waiter.watched === undefined
      ? { kind: 'success' }
      : judge(waiter.watched, memberAt(output, waiter.watched.path));
  } catch (error) {
    if (!(error instanceof ServiceResponseError)) throw error;
    if (waiter.watched === undefined && error.code === 'ResourceNotFoundException')
      return {
        kind: 'retry',
        state: 'not there yet',
        previously:
          '. Previously accepted state: Matched expected service error code: ResourceNotFoundException',
      };
    return {
      kind: 'failure',
      reason: `An error occurred (${error.code}): ${error.serviceMessage}`,
    };
  }
}

function judge({ path, success, pending }: Watched, value: unknown): Seen {
  if (value === success) return { kind: 'success' };
  if (value === 'Failed')
    return {
      kind: 'failure',
      reason: `Waiter encountered a terminal failure state: For expression "${path}" we matched expected path: "Failed"`,
    };
  const previously =
    value === pending
      ? `. Previously accepted state: For expression "${path}" we matched expected path: "${pending}"`
      : '';
  return { kind: 'retry', state: typeof value === 'string' ? value : 'unknown', previously };
}

function memberAt(output: Output, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined,
      output,
    );
}

const failure = (waiter: Waiter, reason: string): CliError =>
  new CliError(255, `Waiter ${waiter.name} failed: ${reason}`);
