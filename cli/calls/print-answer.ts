import { ClientError } from '../context/errors.ts';
import { formatOutput } from '../output/format-output.ts';
import { isOutputFormat } from '../output/output-format.ts';
import { showOutput } from '../output/show-output.ts';
import type { Session } from './session.ts';

/** Prints an answer as `--query`, `--output` and `--color` say, through the pager on a terminal. */
export async function printAnswer(session: Session, value: unknown): Promise<number> {
  return printText(session, await answerText(session, value));
}

export async function answerText(session: Session, value: unknown): Promise<string> {
  const { context, globals, query, title, profile } = session;
  const selected = query === undefined ? value : query(value);
  const format = profile.output;
  // The value may come from a file or the environment, which are not checked before the request is sent.
  if (!isOutputFormat(format)) throw new ClientError(255, `Unknown output type: ${format}`);
  return formatOutput(format, selected, {
    title,
    color: globals.color === 'on' || (globals.color === 'auto' && context.isTerminal.stdout),
    columns: context.columns,
    terminal: context.isTerminal.stdout,
  });
}

export async function printText(session: Session, text: string): Promise<number> {
  const { profile, globals, context } = session;
  await showOutput(text, { pager: profile.pager, allowed: globals.pager }, context);
  return 0;
}
