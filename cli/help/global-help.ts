import type { Option } from '../input/argument-parser.ts';

const optionDescriptions: Readonly<Record<string, string>> = {
  debug: 'Prints a trace of the command to stderr, without secrets.',
  'endpoint-url': 'URL of the server, for example http://localhost:3000.',
  'no-verify-ssl': "Does not verify the server's certificate.",
  'no-paginate': 'Disables automatic pagination.',
  output: 'Output format. Default: json.',
  query: 'JMESPath expression that selects the output.',
  profile: 'Profile in the configuration and credential files.',
  region: 'Region of the service.',
  version: 'Prints the version.',
  color: 'Colors in tables. Default: auto, which colors them on a terminal.',
  'no-sign-request': 'Sends requests unsigned; no credentials are loaded.',
  'ca-bundle': 'File of CA certificates to trust instead of the system certificates.',
  'cli-read-timeout': 'Seconds to wait for a response; 0 waits indefinitely. Default: 60.',
  'cli-connect-timeout': 'Seconds to wait for a connection; 0 waits indefinitely. Default: 60.',
  'cli-binary-format':
    'Encoding of binary option values: base64 (the default), or raw-in-base64-out for unencoded values. Files read with fileb:// are never decoded.',
  'no-cli-pager': 'Disables the pager.',
  'cli-auto-prompt': 'Prompts for missing parameters.',
  'no-cli-auto-prompt': 'Never prompts for parameters.',
  'cli-error-format':
    'Format of errors on stderr: text, or json for one JSON object. Default: text.',
  'cli-input-json': 'Input as JSON, or file://path; options override its members.',
  'cli-input-yaml': 'Input as YAML, or file://path; options override its members.',
  'generate-cli-skeleton':
    'Prints a skeleton without sending a request: of the input as JSON (input, the default) or YAML (yaml-input), or of the output (output).',
  'starting-token': 'NextToken of output that --max-items truncated.',
  'page-size': 'Items per request. All pages are fetched.',
  'max-items': 'Maximum number of items to print.',
  'zip-file': 'Zip archive of the code: fileb://path/to/file.zip.',
  'set-env':
    'NAME=VALUE ...: sets individual environment variables. Other variables do not change.',
  'unset-env': 'NAME ...: removes individual environment variables.',
  wait: 'Waits for the update to finish and prints the resulting configuration.',
};

/** What an option that is no member of an operation does. */
export const optionDescription = (option: Option): string => optionDescriptions[option.name] ?? '';

/** The option with the form of its value. */
export function optionForm({ name, arity, choices }: Option): string {
  const value = choices?.join('|') ?? 'VALUE';
  switch (arity) {
    case 'none':
      return `--${name}`;
    case 'optional':
      return `--${name} [${value}]`;
    case 'variadic':
      return `--${name} [VALUE ...]`;
    case 'one':
      return `--${name} ${value}`;
  }
}

const width = 80;

const column = 28;

/** A term and its description, in one line where they fit. */
export function termAndText(term: string, description: string): string {
  const lines = wrapped(description, width - column);
  const head = `  ${term}`;
  const [first = '', ...rest] = lines;
  const start =
    head.length < column
      ? `${head.padEnd(column)}${first}\n`
      : `${head}\n${' '.repeat(column)}${first}\n`;
  return start + rest.map((line) => `${' '.repeat(column)}${line}\n`).join('');
}

export function paragraph(text: string, indent = ''): string {
  return wrapped(text, width - indent.length)
    .map((line) => `${indent}${line}\n`)
    .join('');
}

function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const term of text.split(' ')) {
    if (line !== '' && line.length + term.length + 1 > columns) {
      lines.push(line);
      line = term;
    } else {
      line = line === '' ? term : `${line} ${term}`;
    }
  }
  return [...lines, line];
}
