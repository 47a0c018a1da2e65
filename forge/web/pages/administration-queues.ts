import type { QueueSize } from '#platform/queue-size.ts';
import { button } from '#web/fields.ts';
import { asking, hidden, problemView } from '#web/form.ts';
import { counted, html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { notFound } from '../../errors/api-error.ts';
import { readPage } from '../../http/pagination.ts';
import {
  type FailingWebhook,
  failingWebhooks,
  siteCounts,
} from '../../site/administration-store.ts';
import { forgeQueues } from '../../site/queue-size-store.ts';
import { recordedAct } from '../../site/recorded-act.ts';
import { giveUpDeliveries, redeliverFailed, retryDeliveries } from '../../webhooks/retry-store.ts';
import { administrationPath } from '../kit/page-paths.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { administrationHead } from '../parts/administration-views.ts';
import { answerAct, unknownAct } from './discussion-acts.ts';

const queuesPath = `${administrationPath}/queues`;
const webhooksPath = `${administrationPath}/webhooks`;

/** Their next attempts can be made due. */
const retriedQueues: readonly string[] = [
  'webhook_deliveries',
  'function_events',
  'function_messages',
];

/** What is in a queue, for people. */
const queueNames: Readonly<Record<string, string>> = {
  webhook_deliveries: 'Deliveries of webhooks',
  ref_intents: 'Changes of branches and tags',
  function_events: 'Asynchronous events of functions',
  function_messages: 'Messages to destinations of functions',
  durable_executions: 'Durable executions',
  push_deployments: 'Deployments of pushed branches',
};

/** How much there is of everything, and the work that waits. */
export async function showOverview(
  context: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, now, session } = context;
  const { counts, ownQueues } = await ports.database.read(async (sql) => ({
    counts: await siteCounts(sql, now),
    ownQueues: await forgeQueues(sql),
  }));
  const queues = (await ports.serverStatus?.queues()) ?? ownQueues;
  const form = createPageForm(queuesPath, session.secret, refused);
  return formPage(
    'Administration',
    html`${administrationHead('Overview', context)} ${problemView(form.problemLeft())}
      <dl class="facts">
        ${Object.entries(counts).map(
          ([name, count]) =>
            html`<div>
              <dt>${name.slice(0, 1).toUpperCase()}${name.slice(1)}</dt>
              <dd>${count}</dd>
            </div>`,
        )}
      </dl>
      <h3>Work that waits</h3>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Queue</th>
              <th scope="col">Items</th>
              <th scope="col">Retrying</th>
              <th scope="col">Oldest</th>
              <th scope="col">Retries</th>
            </tr>
          </thead>
          <tbody>
            ${queues.map((queue) => queueRow(queue, form, now))}
          </tbody>
        </table>
      </div>`,
    refused?.status,
  );
}

function queueRow(
  { queue, items, retrying, oldestAt }: QueueSize,
  form: PageForm,
  now: number,
): Html {
  const name = queueNames[queue];
  return html`<tr>
    <td>${name ?? ''} <code>${queue}</code></td>
    <td>${items}</td>
    <td>${retrying}</td>
    <td>${oldestAt === undefined ? '–' : timeElement(oldestAt, now)}</td>
    <td>${items > 0 && retriedQueues.includes(queue) ? queueForms(queue, form) : '–'}</td>
  </tr>`;
}

function queueForms(queue: string, form: PageForm): Html {
  const retry = html`<p>
      What has failed is attempted now, not after its delay. What a server is working on goes on.
    </p>
    ${hidden('queue', queue)} ${button('Retry now', 'primary', queue)}`;
  const giveUp = html`<p>
      What has failed is not attempted again. It can be redelivered one by one.
    </p>
    ${hidden('queue', queue)} ${button('Give up', 'danger', queue)}`;
  return html`${asking('Retry', form.row('retry', retry, 'fields'))}
  ${queue === 'webhook_deliveries' ? asking('Give up', form.row('give-up', giveUp, 'fields')) : ''}`;
}

/** Makes the next attempts of a queue due, or ends them. */
export function submitQueueAct(context: FormContext & SignedIn): Promise<WebResponse> {
  const { ports, form, session, from, now } = context;
  return answerAct(context, showOverview, async (name) => {
    if (name !== 'retry' && name !== 'give-up') unknownAct();
    const queue = form.get('queue') ?? '';
    const parameters: Record<string, string> = {};
    if (!retriedQueues.includes(queue)) notFound();
    parameters['queue'] = queue;
    const act = {
      action: name === 'retry' ? 'queue.retry' : 'queue.give_up',
      actor: session.account.login,
      from,
      parameters,
    };
    await recordedAct(ports, act, async () => {
      const changed = await change(name);
      parameters['items'] = String(changed ?? notFound());
    });
    return administrationPath;

    async function change(what: 'retry' | 'give-up'): Promise<number | undefined> {
      if (queue !== 'webhook_deliveries') {
        return what === 'retry' ? ports.serverStatus?.retryQueue(queue) : undefined;
      }
      return ports.database.write((sql) =>
        what === 'retry' ? retryDeliveries(sql, now) : giveUpDeliveries(sql),
      );
    }
  });
}

/** Webhooks whose last delivery failed. Only the origin of their URLs, whose paths may be secrets. */
export async function showFailingWebhooks(
  context: WebContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, query, session } = context;
  const bounds = readPage(query);
  const { webhooks, total } = await ports.database.read((sql) => failingWebhooks(sql, bounds));
  const form = createPageForm(webhooksPath, session.secret, refused);
  return formPage(
    'Failing webhooks · Administration',
    html`${administrationHead('Failing webhooks', context)} ${problemView(form.problemLeft())}
      <p>Active webhooks whose last delivery failed.</p>
      ${
        webhooks.length === 0
          ? html`<p class="empty">No webhook fails.</p>`
          : html`<ul class="rows">
              ${webhooks.map((webhook) => webhookRow(webhook, form))}
            </ul>`
      }
      ${pageLinks(webhooksPath, bounds, bounds.offset + bounds.size < total)}`,
    refused?.status,
  );
}

function webhookRow(webhook: FailingWebhook, form: PageForm): Html {
  const { id, url, repository, app, code, status, deliveryId, waiting } = webhook;
  const name = `${repository ?? `App ${app ?? ''}`}, webhook ${id}`;
  return html`<li>
    <span class="grow">${name}</span>
    <code>${URL.parse(url)?.origin ?? ''}</code>
    <span class="bad">${code === null || code === 0 ? '' : code} ${status}</span>
    ${waiting > 0 ? html`<span class="waiting">${counted(waiting, 'delivery', 'deliveries')} waiting</span>` : ''}
    ${
      deliveryId === null
        ? ''
        : asking(
            'Redeliver',
            form.row(
              'redeliver',
              html`<p>The receiver gets the newest delivery that failed once more.</p>
                ${hidden('webhook', String(id))} ${hidden('delivery', String(deliveryId))}
                ${button('Redeliver', 'primary', name)}`,
              'fields',
            ),
          )
    }
  </li>`;
}

/** Sends the newest delivery that failed once more: once for each time that it has failed. */
export function submitRedelivery(context: FormContext & SignedIn): Promise<WebResponse> {
  const { ports, form, session, from, now } = context;
  return answerAct(context, showFailingWebhooks, async (name) => {
    if (name !== 'redeliver') unknownAct();
    const [webhook, delivery] = [form.get('webhook') ?? '', form.get('delivery') ?? ''];
    if (![webhook, delivery].every((id) => /^[1-9]\d{0,14}$/.test(id))) notFound();
    const parameters = { webhook, delivery };
    const act = { action: 'hook.redeliver', actor: session.account.login, from, parameters };
    await recordedAct(ports, act, async () => {
      const ids = { webhookId: Number(webhook), deliveryId: Number(delivery) };
      const sent = await ports.database.write((sql) => redeliverFailed(sql, ids, now));
      if (sent === undefined) notFound();
    });
    return webhooksPath;
  });
}
