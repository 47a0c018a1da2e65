import { globalOptions } from '../input/globals.ts';
import { loadOperation, operationCommands } from '../operations/operations.ts';
import { optionDescription, optionForm, termAndText, paragraph } from './global-help.ts';

const ownCommands: readonly (readonly [string, string])[] = [
  ['configure', 'Saves the URL, region and keys of a server in a profile.'],
  ['completion', 'Prints a completion script for bash, zsh or fish.'],
  ['deploy', 'Deploys the functions of a SAM template: plan, question, progress.'],
  ['diff', 'Shows what update-function-configuration with the same options would change.'],
  ['logs', 'Prints the log of a function; --follow also prints new lines.'],
  ['wait', 'Waits until a function exists, is active or is updated.'],
];

/** Every command and every global option. */
export async function clientHelp(): Promise<string> {
  const operations = await Promise.all(
    operationCommands.map(async (command) =>
      termAndText(command, (await loadOperation(command))?.description ?? ''),
    ),
  );
  return [
    'hob functions COMMAND [OPTION ...]\n',
    paragraph(
      'Manages the functions of a server. lambda is an alias of functions. "hob functions COMMAND help" describes a command, "hob functions COMMAND help --OPTION" one of its options.',
    ),
    `Operations\n\n${operations.join('')}`,
    `Commands of the client\n\n${ownCommands.map(([command, description]) => termAndText(command, description)).join('')}`,
    `Global options\n\n${globalOptions.map((option) => termAndText(optionForm(option), optionDescription(option))).join('')}`,
    paragraph(
      'Exit codes: 0 success, 252 invalid command line, 253 invalid configuration, 254 error response of the service, 255 any other error, 130 Ctrl-C.',
    ),
  ].join('\n');
}
