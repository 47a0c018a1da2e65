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
