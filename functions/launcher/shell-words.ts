/** A text as one word of a shell script. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Lines that set the whole environment of what the script starts. */
export function exports(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}=${quoted(value)}`);
}
