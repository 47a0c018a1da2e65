import { accountsById } from '../../accounts/account-store.ts';
import { latestDeploymentStatuses } from '../../deployments/deployment-status-store.ts';
import { listDeployments } from '../../deployments/deployment-store.ts';
import { readPage } from '../../http/pagination.ts';
import type { Deployment, DeploymentStatus } from '../../model/deployment.ts';
import { fullName } from '../../model/repository.ts';
import { html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { page, type WebResponse } from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { pathIn } from '../parts/settings-nav.ts';

/** The deployments of a repository, or those to one environment, the latest first. */
export async function showDeployments(context: RepositoryContext): Promise<WebResponse> {
  const { ports, repository, query } = context;
  const bounds = readPage(query);
  const environment = query.get('environment') || undefined;
  const { deployments, total, statuses, creators } = await ports.database.read(async (sql) => {
    const list = await listDeployments(sql, repository.id, { environment }, bounds);
    const ids = list.deployments.map(({ id }) => id);
    const creatorIds = list.deployments.map(({ creatorId }) => creatorId);
    return {
      ...list,
      statuses: await latestDeploymentStatuses(sql, ids),
      creators: await accountsById(sql, creatorIds),
    };
  });
  const chosen = environment === undefined ? '' : `?environment=${encodeURIComponent(environment)}`;
  return page(
    `Deployments · ${fullName(repository)}`,
    html`${repositoryHead(context)}
      <h2>Deployments${environment === undefined ? '' : html` to ${environment}`}</h2>
      ${
        deployments.length === 0
          ? html`<p class="empty">No deployment yet. Create one with the API.</p>`
          : html`<ul class="rows">
              ${deployments.map((deployment) => {
                const login = creators.get(deployment.creatorId)?.login;
                return deploymentRow(context, deployment, statuses.get(deployment.id), login);
              })}
            </ul>`
      }
      ${pageLinks(`${pathIn(context, 'deployments')}${chosen}`, bounds, bounds.offset + bounds.size < total)}`,
  );
}

function deploymentRow(
  { repository, urls, now }: RepositoryContext,
  deployment: Deployment,
  status: DeploymentStatus | undefined,
  creator: string | undefined,
): Html {
  const name = fullName(repository);
  const { environment, ref, sha, description, createdAt } = deployment;
  return html`<li>
    <a href="${urls.environmentHtml(name, environment)}">${environment}</a>
    ${stateView(deployment.state ?? 'pending')}
    <span class="grow">${ref}${description === null ? '' : html`: ${description}`}</span>
    ${outsideLink(status?.environmentUrl, 'Open', environment)}
    ${outsideLink(status?.logUrl, 'Log', environment)}
    <span>${creator}</span>
    ${timeElement(createdAt, now)}
    <a href="${urls.commitHtml(name, sha)}"><code>${sha.slice(0, 7)}</code></a>
  </li>`;
}

function stateView(state: NonNullable<Deployment['state']>): Html {
  const word = state.replace('_', ' ');
  if (state === 'success') return html`<span class="good">✓ ${word}</span>`;
  if (state === 'failure' || state === 'error') return html`<span class="bad">✗ ${word}</span>`;
  return html`<span class="waiting">● ${word}</span>`;
}

function outsideLink(url: string | undefined, label: string, environment: string): Html {
  if (url === undefined || url === '') return html``;
  return html`<a href="${url}" rel="nofollow noreferrer" aria-label="${label} ${environment}"
    >${label}</a
  >`;
}
