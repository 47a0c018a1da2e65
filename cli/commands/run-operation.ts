import { openSession, type Session } from '../calls/session.ts';
import type { Globals } from '../input/globals.ts';
import { readInput } from '../input/read-input.ts';
import { type OperationArgs, parseOperationArgs } from '../input/operation-args.ts';
import type { InputMap } from '../validation/input-value.ts';
import { UsageError } from '../context/usage.ts';
import type { CliContext } from '../context/cli-context.ts';
import type { NamedOperation } from '../operations/operations.ts';

/** An operation of the service, from the command line to the printed output. */
export async function runOperation(
  named: NamedOperation,
  args: readonly string[],
  globals: Globals,
  context: CliContext,
): Promise<number> {
  if (args[0] === 'help' || args.includes('--help')) {
    const option = args.find((argument) => argument.startsWith('--') && argument !== '--help');
    const { printOperationHelp } = await import('../help/print-help.ts');
    return printOperationHelp(named, globals, context, args[0] === 'help' ? option : undefined);
  }
  const parsed = await parsedOrAsked(named, args, globals, context);
  const skeleton = parsed.given.get('generate-cli-skeleton');
  if (skeleton === 'input' || skeleton === 'yaml-input')
    return (await import('../skeleton/print-skeleton.ts')).printSkeleton(
      named.operation,
      skeleton,
      context,
    );
  const session = await openSession(named.operation.name, globals, context);
  const input = await readInput(named.operation, parsed, session.profile.binaryFormat, context);
  if (skeleton === 'output')
    return (await import('../skeleton/print-skeleton.ts')).printOutputSkeleton(
      named.operation,
      input,
      session,
    );
  return sendAndPrint(named, parsed, input, session);
}

/** Prompts for missing parameters if prompts are enabled. */
async function parsedOrAsked(
  named: NamedOperation,
  args: readonly string[],
  globals: Globals,
  context: CliContext,
): Promise<OperationArgs> {
  try {
    return parseOperationArgs(named.operation, args, globals.paginate);
  } catch (error) {
    if (!(error instanceof UsageError) || error.missing.length === 0) throw error;
    const { parseWithPrompts } = await import('../prompt/parse-with-prompts.ts');
    return parseWithPrompts(error, named, args, globals, context);
  }
}

async function sendAndPrint(
  { operation }: NamedOperation,
  parsed: OperationArgs,
  input: InputMap,
  session: Session,
): Promise<number> {
  const { given, outfile } = parsed;
  if (operation.pages !== undefined) {
    const { pagingOf, printPages, refusePagingOptions } = await import('../calls/pages.ts');
    const paging = pagingOf(operation, given, input, session.globals.paginate);
    if (paging !== undefined) return printPages(operation, input, paging, session);
    refusePagingOptions(given, operation);
  }
  if (parsed.returnsPayload)
    return (await import('./invoke.ts')).runInvoke(operation, input, outfile, session);
  if (given.has('set-env') || given.has('unset-env') || given.has('wait'))
    return (await import('./update-and-wait.ts')).runUpdate(operation, parsed, input, session);
  return session.print(await session.call(operation, input));
}
