import { CliError } from '../context/errors.ts';
import { UsageError } from '../context/usage.ts';
import { type OptionValue, readInteger, parseArgs, type Option } from './argument-parser.ts';

/** What the global options say; undefined where the option is absent and the profile decides. */
export interface Globals {
  readonly debug: boolean;
  readonly endpointUrl: string | undefined;
  readonly verifySsl: boolean;
  readonly paginate: boolean;
  readonly output: string | undefined;
  readonly query: string | undefined;
  readonly profile: string | undefined;
  readonly region: string | undefined;
  readonly color: string;
  readonly signRequest: boolean;
  readonly caBundle: string | undefined;
  /** Seconds; 0 waits for ever. */
  readonly readTimeout: number;
  readonly connectTimeout: number;
  readonly binaryFormat: string | undefined;
  readonly pager: boolean;
  readonly autoPrompt: 'on' | 'off' | undefined;
  readonly errorFormat: 'text' | 'json';
}

export function readGlobals(given: ReadonlyMap<string, OptionValue>): Globals {
  if (given.has('cli-auto-prompt') && given.has('no-cli-auto-prompt'))
    throw new CliError(
      252,
      'Both --cli-auto-prompt and --no-cli-auto-prompt cannot be specified at the same time.',
    );
  const text = (name: string): string | undefined => {
    const value = given.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    debug: given.has('debug'),
    endpointUrl: text('endpoint-url'),
    verifySsl: !given.has('verify-ssl'),
    paginate: !given.has('paginate'),
    output: text('output'),
    query: text('query'),
    profile: text('profile'),
    region: text('region'),
    color: text('color') ?? 'auto',
    signRequest: !given.has('sign-request'),
    caBundle: text('ca-bundle'),
    readTimeout: Number(readInteger(text('cli-read-timeout') ?? '60')),
    connectTimeout: Number(readInteger(text('cli-connect-timeout') ?? '60')),
    binaryFormat: text('cli-binary-format'),
    pager: !given.has('cli-pager'),
    autoPrompt: given.has('cli-auto-prompt')
      ? 'on'
      : given.has('no-cli-auto-prompt')
        ? 'off'
        : undefined,
    errorFormat: text('cli-error-format') === 'json' ? 'json' : 'text',
  };
}

export type TopCommand = (typeof topCommands)[number];

const topCommands = ['functions', 'lambda', 'configure', 'completion', 'help'] as const;

export type GlobalArgs =
  | { readonly kind: 'version' }
  | {
      readonly kind: 'command';
      readonly command: TopCommand;
      readonly globals: Globals;
      /** What is neither the command nor a global option. */
      readonly rest: readonly string[];
    };

/** Takes the global options, which stand anywhere, and the command from the arguments. */
export function parseGlobalArgs(args: readonly string[]): GlobalArgs {
  const parsed = parseArgs(args, globalOptions, [{ name: 'command', choices: topCommands }]);
  if (parsed.given.has('version')) return { kind: 'version' };
  const globals = readGlobals(parsed.given);
  const name = parsed.positionals.get('command');
  const help = parsed.rest.includes('--help') ? 'help' : undefined;
  const command = topCommands.find((candidate) => candidate === (name ?? help));
  if (command === undefined) throw new UsageError('the following arguments are required: command');
  return { kind: 'command', command, globals, rest: parsed.rest };
}

/** The options that every command takes, in the order of help. */
export const globalOptions: readonly Option[] = [
  { name: 'debug', arity: 'none' },
  { name: 'endpoint-url', arity: 'one' },
  { name: 'no-verify-ssl', arity: 'none', key: 'verify-ssl', constant: false },
  { name: 'no-paginate', arity: 'none', key: 'paginate', constant: false },
  { name: 'output', arity: 'one', choices: ['json', 'text', 'table', 'yaml', 'yaml-stream'] },
  { name: 'query', arity: 'one' },
  { name: 'profile', arity: 'one' },
  { name: 'region', arity: 'one' },
  { name: 'version', arity: 'none' },
  { name: 'color', arity: 'one', choices: ['on', 'off', 'auto'] },
  { name: 'no-sign-request', arity: 'none', key: 'sign-request', constant: false },
  { name: 'ca-bundle', arity: 'one' },
  { name: 'cli-read-timeout', arity: 'one' },
  { name: 'cli-connect-timeout', arity: 'one' },
  { name: 'cli-binary-format', arity: 'one', choices: ['base64', 'raw-in-base64-out'] },
  { name: 'no-cli-pager', arity: 'none', key: 'cli-pager', constant: false },
  { name: 'cli-auto-prompt', arity: 'none' },
  { name: 'no-cli-auto-prompt', arity: 'none' },
  { name: 'cli-error-format', arity: 'one', choices: ['text', 'json'], unabbreviated: true },
];
