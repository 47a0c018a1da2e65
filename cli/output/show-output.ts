import type { CliContext } from '../context/cli-context.ts';
import { CliError } from '../context/errors.ts';
import type { Globals } from '../input/globals.ts';
import type { ProgramRunner } from '../programs/command-line.ts';

interface Paging {
  /** The pager's command line; undefined: the built-in one; empty: none. */
  readonly pager: string | undefined;
  /** False by `--no-cli-pager`. */
  readonly allowed: boolean;
}

type OutputContext = Pick<CliContext, 'environment' | 'stdout' | 'isTerminal'> & {
  /** Instead of the system's programs, for tests. */
  readonly showInProgram?: ProgramRunner;
};

/** Prints the output of a command; on a terminal, through the user's pager. */
export async function showOutput(
  text: string,
  paging: Paging,
  context: OutputContext,
): Promise<void> {
  if (text === '') return;
  const line = paging.pager ?? builtInPager;
  if (!paging.allowed || !context.isTerminal.stdout || line.trim() === '') {
    context.stdout.write(text);
    return;
  }
  await showInPager(text, line, context);
}

const builtInPager = process.platform === 'win32' ? 'more' : 'less';

async function showInPager(text: string, line: string, context: OutputContext): Promise<void> {
  const { splitCommandLine } = await import('../programs/command-line.ts');
  const show =
    context.showInProgram ?? (await import('../programs/system-programs.ts')).showInProgram;
  const [program = '', ...args] = splitCommandLine(line);
  const result = await show({
    program,
    args,
    // F: exit at once if it fits one screen, R: colors, X: leave the text on the screen.
    environment: { LESS: 'FRX', ...context.environment },
    input: text,
  });
  if (result.kind === 'ended') return;
  throw new CliError(
    253,
    `Unable to redirect output to pager. Received the following error when opening pager:\n${result.message}\n\nLearn more about configuring the output pager by running "hob functions help".`,
  );
}

/** Prints a text that is no response, like help; resolves with the exit code. */
export async function showText(
  text: string,
  globals: Globals,
  context: CliContext,
): Promise<number> {
  const { environment } = context;
  const pager = environment['AWS_PAGER'] ?? environment['PAGER'];
  await showOutput(text, { pager, allowed: globals.pager }, context);
  return 0;
}
