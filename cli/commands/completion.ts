import type { CliContext } from '../context/cli-context.ts';
import { UnknownOptions, UsageError } from '../context/usage.ts';
import { parseArgs } from '../input/argument-parser.ts';
import { globalOptions, type Globals } from '../input/globals.ts';
import { allOptions } from '../input/operation-args.ts';
import { loadOperation, operationCommands } from '../operations/operations.ts';
import { deployOptions } from './deploy.ts';
import { waiters } from '../operations/waiters.ts';

/** `completion SHELL`: a script for the shell to read at its start. */
export async function runCompletion(
  args: readonly string[],
  _globals: Globals,
  context: CliContext,
): Promise<number> {
  const parsed = parseArgs(args, [], [{ name: 'shell', choices: Object.keys(shells) }]);
  const script = shells[parsed.positionals.get('shell') ?? ''];
  if (script === undefined) throw new UsageError('the following arguments are required: shell');
  if (parsed.rest.length > 0) throw new UnknownOptions(parsed.rest, []);
  context.stdout.write(script(await completionTable()));
  return 0;
}

/** Written out once: a shell that asked the client at each key would wait for it. */
async function completionTable(): Promise<CompletionTable> {
  const commands: Record<string, readonly string[]> = {};
  for (const command of operationCommands) {
    const operation = await loadOperation(command);
    if (operation !== undefined)
      commands[command] = allOptions(operation, true).map(({ name }) => `--${name}`);
  }
  const update = commands['update-function-configuration'] ?? [];
  return {
    commands: {
      ...commands,
      completion: Object.keys(shells),
      configure: [],
      deploy: deployOptions.map(({ name }) => `--${name}`),
      diff: update,
      logs: [...(commands['get-function-logs'] ?? []), '--follow'],
      wait: [...Object.keys(waiters), '--function-name', '--qualifier'],
    },
    globals: globalOptions.map(({ name }) => `--${name}`),
    values: Object.fromEntries(
      globalOptions.flatMap(({ name, choices }) =>
        choices === undefined ? [] : [[`--${name}`, choices] as const],
      ),
    ),
  };
}

/** What can stand on a command line. */
export interface CompletionTable {
  /** What can follow a command, including its options. */
  readonly commands: Readonly<Record<string, readonly string[]>>;
  readonly globals: readonly string[];
  /** Values of options that have few. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

/** By the shell's name, the script that it reads. All arguments are letters, digits and hyphens. */
export const shells: Readonly<Record<string, (table: CompletionTable) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

const top = ['functions', 'lambda', 'serve', 'admin', 'doctor', 'configure', 'completion'];

function bashScript(table: CompletionTable): string {
  return `# Completes hob in bash: source <(hob completion bash)
_hob() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words=
  case $previous in
${valueCases(table, '    ')}
  esac
  if [ $COMP_CWORD -eq 1 ]; then
    words='${top.join(' ')}'
  else
    case \${COMP_WORDS[1]} in
      functions|lambda)
        if [ $COMP_CWORD -eq 2 ]; then words='${Object.keys(table.commands).join(' ')}'
        else case \${COMP_WORDS[2]} in
${commandCases(table, '          ')}
        esac; fi ;;
    esac
  fi
  case $current in file://*|fileb://*) return ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _hob hob
`;
}

function zshScript(table: CompletionTable): string {
  return `#compdef hob
# Completes hob in zsh: source <(hob completion zsh)
_hob() {
  local previous=\${words[CURRENT-1]}
  local -a found
  case $previous in
${arrayCases(table.values, '    ', 'compadd -a found; return')}
  esac
  if (( CURRENT == 2 )); then
    found=(${top.join(' ')})
  elif [[ \${words[2]} == (functions|lambda) ]]; then
    if (( CURRENT == 3 )); then
      found=(${Object.keys(table.commands).join(' ')})
    else
      case \${words[3]} in
${arrayCases(withGlobals(table), '        ', '')}
      esac
    fi
  fi
  compadd -a found
  [[ \${words[CURRENT]} == -* ]] || _files
}
compdef _hob hob
`;
}

function fishScript(table: CompletionTable): string {
  const within = "-n '__fish_seen_subcommand_from functions lambda";
  const commands = Object.keys(table.commands);
  const lines = Object.entries(withGlobals(table)).flatMap(([command, args]) =>
    args.map((argument) => {
      const condition = `${within}; and __fish_seen_subcommand_from ${command}'`;
      return argument.startsWith('--')
        ? `complete -c hob ${condition} -l ${argument.slice(2)}`
        : `complete -c hob -f ${condition} -a ${argument}`;
    }),
  );
  const none = `${within}; and not __fish_seen_subcommand_from ${commands.join(' ')}'`;
  return [
    '# Completes hob in fish: hob completion fish | source',
    `complete -c hob -f -n __fish_use_subcommand -a '${top.join(' ')}'`,
    `complete -c hob -f ${none} -a '${commands.join(' ')}'`,
    ...Object.entries(table.values).map(
      ([option, values]) => `complete -c hob -x -l ${option.slice(2)} -a '${values.join(' ')}'`,
    ),
    ...lines,
    '',
  ].join('\n');
}

function withGlobals({ commands, globals }: CompletionTable): CompletionTable['commands'] {
  return Object.fromEntries(
    Object.entries(commands).map(([command, args]) => [command, [...args, ...globals]]),
  );
}

function valueCases({ values }: CompletionTable, indent: string): string {
  return Object.entries(values)
    .map(
      ([option, args]) =>
        `${indent}${option}) COMPREPLY=($(compgen -W '${args.join(' ')}' -- "$current")); return ;;`,
    )
    .join('\n');
}

function commandCases(table: CompletionTable, indent: string): string {
  return Object.entries(withGlobals(table))
    .map(([command, args]) => `${indent}${command}) words='${args.join(' ')}' ;;`)
    .join('\n');
}

function arrayCases(
  table: Readonly<Record<string, readonly string[]>>,
  indent: string,
  then: string,
): string {
  return Object.entries(table)
    .map(([argument, args]) => `${indent}${argument}) found=(${args.join(' ')}); ${then} ;;`)
    .join('\n')
    .replaceAll('; ;;', ';;')
    .replaceAll(';  ;;', ' ;;');
}
