import type { GlobalArgs } from '../input/global-args.ts';
import type { CliContext } from '../context/cli-context.ts';

/** What the first word asks for. */
export async function runTopCommand(
  { command, globals, rest }: Extract<GlobalArgs, { kind: 'command' }>,
  context: CliContext,
): Promise<number> {
  switch (command) {
    case 'functions':
    case 'lambda':
      return (await import('./run-command.ts')).runCommand(rest, globals, context);
    case 'configure':
      return (await import('./configure.ts')).runConfigure(rest, globals, context);
    case 'completion':
      return (await import('./completion.ts')).runCompletion(rest, globals, context);
    case 'help':
      return (await import('../help/print-help.ts')).printClientHelp(globals, context);
  }
}
