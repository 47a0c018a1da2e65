/**
 * Words for `setpriv`. A real change of user, not a mapped one: to the host's files it is a stranger, but for those that `group`
 * lets it pass through.
 */
export function asUserCommand(user: number, group?: number): string[] {
  const groups = group === undefined ? ['--clear-groups'] : ['--groups', String(group)];
  const ids = ['--reuid', String(user), '--regid', String(user), ...groups];
  return [...ids, '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];
}
