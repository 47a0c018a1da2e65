import type { Link } from '#web/layout.ts';

import type { Ports } from '../../ports/ports.ts';
import { administrationPath as at } from './page-paths.ts';

/** The pages for site administrators, with those of other services. */
export function administrationLinks({ otherAdministration }: Ports): readonly Link[] {
  return [
    { href: at, label: 'Overview' },
    { href: `${at}/users`, label: 'Users' },
    { href: `${at}/organizations`, label: 'Organizations' },
    { href: `${at}/tokens`, label: 'Tokens' },
    { href: `${at}/keys`, label: 'SSH keys' },
    { href: `${at}/applications`, label: 'Applications' },
    { href: `${at}/webhooks`, label: 'Failing webhooks' },
    { href: `${at}/storage`, label: 'Storage' },
    { href: `${at}/server`, label: 'Server' },
    ...(otherAdministration ?? []),
  ];
}
