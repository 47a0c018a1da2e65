import type { CliContext } from '../context/cli-context.ts';
import { CliError } from '../context/errors.ts';
import { openPrompt } from './prompt.ts';

/** Asks a person before something happens; ends the command unless the answer is yes. Scripts are not asked. */
export async function confirm(
  question: string,
  refused: string,
  context: CliContext,
): Promise<void> {
  if (!context.isTerminal.stdin) return;
  const prompt = openPrompt(context);
  try {
    const answer = await prompt.ask({
      question: `${question} [y/N] `,
      candidates: ['yes', 'no'],
    });
    if (!/^y(es)?$/i.test(answer.trim())) throw new CliError(255, refused);
  } finally {
    prompt.close();
  }
}
