/** A text as one word of a shell script. Shells drop U+0000 or end the word there, each in its own way, so it is refused. */
export function quoted(text: string): string {
  if (text.includes('\0')) throw new TypeError('A word of a shell script must not hold U+0000.');
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Lines that set the whole environment of what the script starts. */
export function exports(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}=${quoted(value)}`);
}
