import { globalOptions } from '../input/global-options.ts';
import { loadOperation, operationWords } from '../operations.ts';
import { aboutOption, optionForm } from './global-help.ts';
import { described, paragraph } from './layout.ts';

const ownCommands: readonly (readonly [string, string])[] = [
  ['configure', 'Keeps the address, region and keys of a server in a profile.'],
  ['completion', 'Prints what completes commands in bash, zsh or fish.'],
  ['diff', 'Tells what update-function-configuration with the same options would change.'],
  ['logs', 'Prints the log of a function; with --follow also the lines to come.'],
  ['wait', 'Waits for a function to exist, to be active or to be updated.'],
];

/** Every command and every global option. */
export async function clientHelp(): Promise<string> {
  const operations = await Promise.all(
    operationWords.map(async (word) => described(word, (await loadOperation(word))?.about ?? '')),
  );
  return [
    'hob functions COMMAND [OPTION ...]\n',
    paragraph(
      'The functions of a server. lambda means the same as functions. "hob functions COMMAND help" tells all about a command, "hob functions COMMAND help --OPTION" about one of its options.',
    ),
    `Operations\n\n${operations.join('')}`,
    `Commands of the client\n\n${ownCommands.map(([word, about]) => described(word, about)).join('')}`,
    `Global options\n\n${globalOptions.map((option) => described(optionForm(option), aboutOption(option))).join('')}`,
    paragraph(
      'Exit codes: 0 success, 252 the command line is wrong, 253 the configuration is, 254 the service answered with an error, 255 anything else, 130 Ctrl-C.',
    ),
  ].join('\n');
}
