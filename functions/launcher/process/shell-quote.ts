/** A text as one word of a shell script. Shells drop U+0000 or end the word there, each in its own way, so it is refused. */
export function shellQuoted(text: string): string {
  if (text.includes('\0')) throw new TypeError('An argument of a shell script contains U+0000.');
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The end of a script for a shell that already runs as the program's user in its sandbox. The environment comes last, since it
 * would affect every tool started after it (LD_PRELOAD), and is never passed in arguments, which every user can list.
 */
export function becomeProgram(environment: Readonly<Record<string, string>>): string[] {
  const variables = Object.entries(environment).map(([name, value]) => {
    if (!isVariableName(name)) throw new TypeError('A shell has no variable of this name.');
    return `export ${name}=${shellQuoted(value)}`;
  });
  return ['unset PWD OLDPWD', ...variables, 'exec "$@" </dev/null', ''];
}

/** Whether a shell can set a variable; the environment of a process may have others. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}
