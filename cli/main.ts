import type { CliContext } from './context/cli-context.ts';
import { systemContext } from './context/system-context.ts';

/** The client as a shell starts it: with the signals and the streams of this process. */
export function startClient(args: readonly string[], version: () => string): Promise<number> {
  process.once('SIGINT', () => {
    process.stdout.write('\n');
    process.exit(130);
  });
  return runFunctionsClient(args, systemContext(version));
}

/**
 * The client of the function service; `args` is the whole command line, including the name of the service. Resolves with the exit
 * code. Errors are printed here.
 */
export async function runFunctionsClient(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  // The most frequent question of scripts is answered before anything is loaded.
  if (args.length <= 2 && args.at(-1) === '--version') return printVersion(context);
  try {
    const { parseGlobalArgs } = await import('./input/globals.ts');
    const parsed = parseGlobalArgs(args);
    if (parsed.kind === 'version') return printVersion(context);
    if (parsed.globals.debug)
      (await import('./connection/debug-log.ts')).noteCommand(args, context);
    return await (await import('./commands/run-command.ts')).runTopCommand(parsed, context);
  } catch (error) {
    return (await import('./print-failure.ts')).printFailure(error, args, context);
  }
}

function printVersion(context: CliContext): number {
  const { node } = process.versions;
  context.stdout.write(
    `hob/${context.version()} Node/${node} ${process.platform}/${process.arch}\n`,
  );
  return 0;
}
