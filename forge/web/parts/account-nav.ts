import { html, type Html } from '#web/html.ts';
import { type Link, navigationLink } from '#web/layout.ts';

import { profilePath } from '../kit/page-paths.ts';

const links: readonly Link[] = [
  { href: profilePath, label: 'Profile' },
  { href: '/settings/emails', label: 'E-mail addresses' },
  { href: '/settings/security', label: 'Security' },
  { href: '/settings/tokens', label: 'Tokens' },
  { href: '/settings/keys', label: 'SSH keys' },
  { href: '/settings/applications', label: 'Applications' },
  { href: '/settings/installations', label: 'GitHub Apps' },
];

/** The pages of settings of the viewer's account. */
export function accountNav(path: string): Html {
  return html`<nav class="tabs" aria-label="Settings">
    ${links.map((link) => html`${navigationLink(link, path)} `)}
  </nav>`;
}
