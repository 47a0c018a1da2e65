import type { Globals } from '../input/globals.ts';
import { showOutput } from './show-output.ts';
import type { CliContext } from '../context/cli-context.ts';

/** Prints a text that is no answer, like help; resolves with the exit code. */
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
