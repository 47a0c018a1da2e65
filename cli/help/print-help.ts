import type { NamedOperation } from '../operations/operations.ts';
import type { Globals } from '../input/globals.ts';
import { showText } from '../output/show-output.ts';
import type { CliContext } from '../context/cli-context.ts';

export async function printClientHelp(globals: Globals, context: CliContext): Promise<number> {
  const { clientHelp } = await import('./client-help.ts');
  return showText(await clientHelp(), globals, context);
}

export async function printOperationHelp(
  named: NamedOperation,
  globals: Globals,
  context: CliContext,
  option?: string,
): Promise<number> {
  const { operationHelp, optionHelp } = await import('./operation-help.ts');
  const text = option === undefined ? operationHelp(named) : optionHelp(named, option);
  return showText(text, globals, context);
}

export async function printWaiters(globals: Globals, context: CliContext): Promise<number> {
  const { waiters } = await import('../operations/waiters.ts');
  const { termAndText } = await import('./global-help.ts');
  const lines = Object.entries(waiters).map(([name, { description, seconds, attemptsMax }]) =>
    termAndText(name, `${description} Polls every ${seconds} s, up to ${attemptsMax} times.`),
  );
  return showText(
    `hob functions wait WAITER --function-name NAME\n\n${lines.join('')}`,
    globals,
    context,
  );
}

export async function printDeployHelp(globals: Globals, context: CliContext): Promise<number> {
  const { paragraph, termAndText } = await import('./global-help.ts');
  const text = [
    'hob functions deploy [FOLDER] [OPTION ...]\n',
    paragraph(
      'Deploys the functions of the SAM template in FOLDER (template.yaml, template.yml or template.json; default: the current folder). Shows the plan, and on a terminal asks before it changes anything. What the template does not name stays as it is. Nothing is built.',
    ),
    [
      termAndText('--yes', 'Skips the question.'),
      termAndText('--role ARN', 'Role of new functions for which the template names none.'),
      termAndText(
        '--on-push OWNER/REPO BRANCH',
        'Deploys at every push to the branch, and not now. FOLDER is the folder of the template in the repository.',
      ),
      termAndText('--remove OWNER/REPO BRANCH', 'Removes --on-push. The functions remain.'),
      termAndText(
        '--list [OWNER/REPO]',
        'Lists your branches with --on-push, or all of a repository that you administer, with the result of the last deployment.',
      ),
    ].join(''),
    paragraph('Exit codes: 0 all functions are deployed, 255 one is not; its line has the reason.'),
  ].join('\n');
  return showText(text, globals, context);
}
