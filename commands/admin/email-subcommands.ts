import { addEmails, removeEmail } from '#forge/accounts/change-emails.ts';
import { resolveUser } from '#forge/accounts/resolve-account.ts';

import type { Subcommand } from './subcommand.ts';

/** Users add addresses without a proof that these are theirs: administrators give one that another user has added to its owner. */
export const emailSubcommands: readonly Subcommand[] = [
  {
    name: 'add-email',
    positionals: ['LOGIN', 'EMAIL'],
    options: {},
    usage: '',
    description: 'Adds an e-mail address to a user. Remove it from another user first.',
    async run(ports, given) {
      const login = given.positional('LOGIN');
      const email = given.positional('EMAIL');
      const user = await ports.database.read((sql) => resolveUser(sql, login, 'User', 'login'));
      await addEmails(ports, user.id, [email]);
      return { json: { login, email }, lines: [`Added ${email} to ${login}.`] };
    },
  },
  {
    name: 'remove-email',
    positionals: ['LOGIN', 'EMAIL'],
    options: {},
    usage: '',
    description: 'Removes an e-mail address from a user, even the primary one.',
    async run(ports, given) {
      const login = given.positional('LOGIN');
      const email = given.positional('EMAIL');
      const user = await ports.database.read((sql) => resolveUser(sql, login, 'User', 'login'));
      await removeEmail(ports, user.id, email);
      return { json: { login, email }, lines: [`Removed ${email} from ${login}.`] };
    },
  },
];
