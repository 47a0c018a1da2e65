import type { GlobalWords } from '../input/global-args.ts';
import type { CliContext } from '../context/cli-context.ts';

/** What the first word asks for. */
export async function runTopCommand(
  { command, globals, rest }: Extract<GlobalWords, { kind: 'command' }>,
  world: CliContext,
): Promise<number> {
  switch (command) {
    case 'functions':
    case 'lambda':
      return (await import('./run-command.ts')).runCommand(rest, globals, world);
    case 'configure':
      return (await import('./configure.ts')).runConfigure(rest, globals, world);
    case 'completion':
      return (await import('./completion.ts')).runCompletion(rest, globals, world);
    case 'help':
      return (await import('../help/print-help.ts')).printClientHelp(globals, world);
  }
}
