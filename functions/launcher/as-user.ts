/** Words for `setpriv`. A real change of user, not a mapped one: to the host's files it is a stranger. */
export function asUserWords(user: number): string[] {
  const ids = ['--reuid', String(user), '--regid', String(user), '--clear-groups'];
  return [...ids, '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];
}
