export type Environment = Readonly<Record<string, string | undefined>>;

/** Of the variables, the first that is set to something. */
export function firstSet(environment: Environment, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}
