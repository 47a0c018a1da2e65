/** Runs a program to its end and reads all that it prints; a port, so that tests start none. */
export type ProgramRunner = (call: ProgramCall) => Promise<ProgramResult>;

export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: string;
}

export type ProgramResult =
  | {
      readonly kind: 'ended';
      /** Undefined when a signal ended it. */
      readonly status: number | undefined;
      readonly output: string;
      readonly errors: string;
    }
  | { readonly kind: 'unstartable'; readonly message: string };

/** The arguments of a command line by the rules of a POSIX shell, without its expansions. */
export function splitCommandLine(line: string): string[] {
  const args: string[] = [];
  let argument: string | undefined;
  for (const { groups } of line.matchAll(piece)) {
    if (groups?.['space'] === undefined) argument = (argument ?? '') + unquoted(groups ?? {});
    else if (argument !== undefined) {
      args.push(argument);
      argument = undefined;
    }
  }
  return argument === undefined ? args : [...args, argument];
}

const piece =
  /(?<space>\s+)|'(?<single>[^']*)'|"(?<double>(?:\\[\s\S]|[^"\\])*)"|\\(?<escaped>[\s\S])|(?<plain>[\s\S])/g;

function unquoted(groups: Readonly<Record<string, string | undefined>>): string {
  const { single, double, escaped, plain } = groups;
  return single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? '';
}
