import type { Option } from '../input/argument-parser.ts';

const about: Readonly<Record<string, string>> = {
  debug: 'Shows on stderr what is done and sent; secrets are left out.',
  'endpoint-url': 'URL of the server, like http://localhost:3000.',
  'no-verify-ssl': "Does not check the server's certificate.",
  'no-paginate': 'Asks for the first page of a list only.',
  output: 'Form of the answer. Default: json.',
  query: 'JMESPath expression: what of the answer is printed.',
  profile: 'Profile of the configuration and credential files.',
  region: 'Region of the service.',
  version: 'Prints the version.',
  color: 'Whether tables are coloured. Default: auto, on a terminal.',
  'no-sign-request': 'Sends requests unsigned; no credentials are loaded.',
  'ca-bundle': "File of certificates to trust in place of the system's.",
  'cli-read-timeout': 'Seconds to wait for an answer; 0 is for ever. Default: 60.',
  'cli-connect-timeout': 'Seconds to wait for a connection; 0 is for ever. Default: 60.',
  'cli-binary-format':
    'How bytes are given in options: base64 (the default), or as they are with raw-in-base64-out. fileb:// is always as it is.',
  'no-cli-pager': 'Prints without a pager.',
  'cli-auto-prompt': 'Asks for parameters that are missing.',
  'no-cli-auto-prompt': 'Never asks.',
  'cli-error-format': 'text, or json: one JSON object on stderr. Default: text.',
  'cli-input-json': 'The input as JSON, or file://path; options replace its members.',
  'cli-input-yaml': 'The input as YAML, or file://path; options replace its members.',
  'generate-cli-skeleton':
    'Prints a sample and sends nothing: of the input as JSON (input, the default) or YAML (yaml-input), or of the answer (output).',
  'starting-token': 'NextToken of an answer that --max-items cut short.',
  'page-size': 'Items of one request; all pages are fetched all the same.',
  'max-items': 'Items to print in all.',
  'zip-file': 'The zip archive of the code: fileb://path/to/file.zip.',
  'set-env': 'NAME=VALUE ...: changes single environment variables and keeps the others.',
  'unset-env': 'NAME ...: takes single environment variables away.',
  wait: 'Waits until the change is over and prints the settled record.',
};

/** What an option that is no member of an operation does. */
export const aboutOption = (option: Option): string => about[option.name] ?? '';

/** The option with the form of its value. */
export function optionForm({ name, takes, choices }: Option): string {
  const value = choices?.join('|') ?? 'VALUE';
  switch (takes) {
    case 'none':
      return `--${name}`;
    case 'maybe':
      return `--${name} [${value}]`;
    case 'many':
      return `--${name} [VALUE ...]`;
    case 'one':
      return `--${name} ${value}`;
  }
}
