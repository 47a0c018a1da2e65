import { bytesText, counted, html, type Html, timeElement } from '#web/html.ts';

import { atLeast } from '../../model/permission.ts';
import { fullName, type Repository } from '../../model/repository.ts';
import type { Release } from '../../model/release.ts';
import { latestRelease } from '../../releases/release-store.ts';
import { type CodeStatistics, codeStatistics } from '../../repositories/code-description-store.ts';
import { permissionIn } from '../../repositories/repository-access.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import { licenseByKey } from '../../templates/license-table.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { topicLinks } from './repository-views.ts';

/** Languages with a name on the page of a repository; the rest is one more. */
const languagesMax = 6;

/** What a repository is, next to its code: description, links, counts, the latest release, and what its code is made of. */
export async function aboutRepository(context: RepositoryContext): Promise<Html> {
  const { ports, repository, caller } = context;
  const found = await ports.database.read(async (sql) => {
    const ids = [repository.parentId, repository.templateId].filter((id) => id !== null);
    const readable = [];
    for (const id of ids) {
      if ((await permissionIn(sql, caller, id)) !== 'none') readable.push(id);
    }
    return {
      sources: await repositoriesById(sql, readable),
      release: await latestRelease(sql, repository.id),
      code: await codeStatistics(sql, repository.id),
    };
  });
  return html`<aside aria-label="About">
    ${aboutSection(context, found.sources)} ${releaseSection(context, found.release)}
    ${codeSection(found.code)}
  </aside>`;
}

function aboutSection(context: RepositoryContext, sources: ReadonlyMap<number, Repository>): Html {
  const { repository, urls } = context;
  const { description, homepage, topics, license } = repository;
  const home = urls.repositoryHtml(fullName(repository));
  const source = (id: number | null, label: string): Html | string => {
    const found = id === null ? undefined : sources.get(id);
    if (!found) return '';
    const name = fullName(found);
    return html`<li>${label} <a href="${urls.repositoryHtml(name)}">${name}</a></li>`;
  };
  return html`<section aria-labelledby="about">
    <h2 id="about">About</h2>
    ${
      description === null || description === ''
        ? html`<p class="soft">No description.</p>`
        : html`<p>${description}</p>`
    }
    ${homepageLine(homepage)} ${topics.length === 0 ? '' : html`<p>${topicLinks(topics)}</p>`}
    <ul class="plain">
      ${source(repository.parentId, 'Forked from')}
      ${source(repository.templateId, 'Made from the template')}
      ${license === null ? '' : html`<li>Licence: ${licenseByKey(license)?.name ?? 'other'}</li>`}
      <li><a href="${home}/stargazers">${counted(repository.stargazers, 'star')}</a></li>
      <li><a href="${home}/watchers">${counted(repository.subscribers, 'watcher')}</a></li>
      <li><a href="${home}/forks">${counted(repository.forks, 'fork')}</a></li>
      <li><a href="${home}/deployments">Deployments</a></li>
    </ul>
  </section>`;
}

/** The homepage is untrusted text: only an HTTP URL becomes a link. */
function homepageLine(homepage: string | null): Html | undefined {
  if (homepage === null || homepage === '') return undefined;
  return /^https?:\/\//i.test(homepage)
    ? html`<p><a href="${homepage}" rel="nofollow">${homepage}</a></p>`
    : html`<p>${homepage}</p>`;
}

function releaseSection(
  { repository, urls, now, permission, session }: RepositoryContext,
  release: Release | undefined,
): Html | string {
  const pageUrl = `${urls.repositoryHtml(fullName(repository))}/releases`;
  if (!release && !(session && atLeast(permission, 'write'))) return '';
  return html`<section aria-labelledby="releases">
    <h2 id="releases"><a href="${pageUrl}">Releases</a></h2>
    ${
      release
        ? html`<p>
            <a href="${urls.releaseHtml(fullName(repository), release.tagName)}"
              >${release.name === null || release.name === '' ? release.tagName : release.name}</a
            >
            <span class="mark">latest</span>
            ${timeElement(release.publishedAt ?? release.createdAt, now)}
          </p>`
        : html`<p><a href="${pageUrl}/new">Create a release</a></p>`
    }
  </section>`;
}

function codeSection(code: CodeStatistics | undefined): Html | string {
  if (!code || code.languages.size === 0) return code ? contributorsLine(code) : '';
  const total = [...code.languages.values()].reduce((sum, bytes) => sum + bytes, 0);
  const named = [...code.languages].slice(0, languagesMax);
  const rest = total - named.reduce((sum, [, bytes]) => sum + bytes, 0);
  const parts = [...named, ...(rest > 0 ? [['Other', rest] as const] : [])].map(
    ([name, bytes]) => ({ name, bytes, percent: (bytes / total) * 100 }),
  );
  const widths = parts.map(({ percent }) => percent);
  return html`${contributorsLine(code)}
    <section aria-labelledby="languages">
      <h2 id="languages">Languages</h2>
      <svg class="languages" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        ${parts.map(({ percent }, index) => {
          const before = widths.slice(0, index).reduce((sum, width) => sum + width, 0);
          return html`<rect
            class="part-${index + 1}"
            x="${before.toFixed(2)}"
            width="${percent.toFixed(2)}"
            height="8"
          />`;
        })}
      </svg>
      <ul class="plain">
        ${parts.map(
          ({ name, percent, bytes }, index) =>
            html`<li title="${bytesText(bytes)}">
              <span class="dot part-${index + 1}" aria-hidden="true">●</span> ${name}
              <span class="soft">${percent < 0.1 ? '<0.1' : percent.toFixed(1)} %</span>
            </li>`,
        )}
      </ul>
    </section>`;
}

function contributorsLine({ contributors }: CodeStatistics): Html | string {
  if (contributors === null || contributors === 0) return '';
  return html`<section aria-labelledby="contributors">
    <h2 id="contributors">Contributors</h2>
    <p>${counted(contributors, 'contributor')}</p>
  </section>`;
}
