import { notFound } from '../../errors/api-error.ts';
import { fullName } from '../../model/repository.ts';
import { html, type Html } from '#web/html.ts';
import { navigationLink } from '#web/layout.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** The pages of a repository's settings. */
export function settingsNav({ urls, repository, pageUrl }: RepositoryContext): Html {
  const home = new URL(urls.repositoryHtml(fullName(repository))).pathname;
  const links = [
    { href: `${home}/settings`, label: 'General' },
    { href: `${home}/collaborators`, label: 'Collaborators' },
    { href: `${home}/settings/branches`, label: 'Branch protection' },
    { href: `${home}/settings/keys`, label: 'Deploy keys' },
    { href: `${home}/settings/hooks`, label: 'Webhooks' },
  ];
  return html`<nav class="actions" aria-label="Settings">
    ${links.map((link) => html`${navigationLink(link, pageUrl)} `)}
  </nav>`;
}

/** Settings are for administrators; others learn nothing of them. */
export function requireAdmin({ permission }: RepositoryContext): void {
  if (permission !== 'admin') notFound();
}

/** The path of a page below a repository. */
export function pathIn({ urls, repository }: RepositoryContext, rest: string): string {
  return `${new URL(urls.repositoryHtml(fullName(repository))).pathname}/${rest}`;
}
