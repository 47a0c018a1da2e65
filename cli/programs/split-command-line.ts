/** The arguments of a command line by the rules of a POSIX shell, without its expansions. */
export function splitCommandLine(line: string): string[] {
  const args: string[] = [];
  let word: string | undefined;
  for (const { groups } of line.matchAll(piece)) {
    if (groups?.['space'] === undefined) word = (word ?? '') + unquoted(groups ?? {});
    else if (word !== undefined) {
      args.push(word);
      word = undefined;
    }
  }
  return word === undefined ? args : [...args, word];
}

const piece =
  /(?<space>\s+)|'(?<single>[^']*)'|"(?<double>(?:\\[\s\S]|[^"\\])*)"|\\(?<escaped>[\s\S])|(?<bare>[\s\S])/g;

function unquoted(groups: Readonly<Record<string, string | undefined>>): string {
  const { single, double, escaped, bare } = groups;
  return single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? bare ?? '';
}
