import type { Ports } from '../ports/ports.ts';

/** The ports for administration of accounts: without git, so that a command can use them while a server is running. */
export type AdministrationPorts = Pick<Ports, 'clock' | 'database' | 'passwords' | 'randomBytes'>;
