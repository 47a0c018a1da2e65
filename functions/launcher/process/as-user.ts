/**
 * Arguments for `setpriv`. A real change of user, not a mapped one: it has no rights to the host's files beyond those of any other
 * user, except that `group` lets it traverse directories.
 */
export function asUserCommand(user: number, group?: number): string[] {
  const groups = group === undefined ? ['--clear-groups'] : ['--groups', String(group)];
  const ids = ['--reuid', String(user), '--regid', String(user), ...groups];
  return [...ids, '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];
}
