import type { Ports } from '../ports/ports.ts';

/** What it takes to administer accounts: no git, so that a command beside a running server can do it. */
export type AdministrationPorts = Pick<Ports, 'clock' | 'database' | 'passwords' | 'randomBytes'>;
