import { notFound } from '../../errors/api-error.ts';
import { readPage } from '../../http/pagination.ts';
import { fullName } from '../../model/repository.ts';
import type { DeliverySummary } from '../../webhooks/delivery.ts';
import { findDelivery, listDeliveries } from '../../webhooks/delivery-store.ts';
import type { Webhook } from '../../webhooks/webhook.ts';
import { webhookEvents } from '../../webhooks/webhook-events.ts';
import { findWebhook, webhooksOf } from '../../webhooks/webhook-store.ts';
import { selectField, textField } from '#web/fields.ts';
import { asking, checkbox, hidden, problemView } from '#web/form.ts';
import { html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { repositoryHead } from '../parts/repository-views.ts';
import { pathIn, requireAdmin, settingsNav } from '../parts/settings-nav.ts';
import { type ActContext, answerAct, numberIn, unknownAct } from './discussion-acts.ts';

/** The webhooks of a repository with the result of their last delivery, and the form for a new one. */
export async function showWebhooks(
  context: RepositoryContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  requireAdmin(context);
  const { ports, repository, session } = context;
  const hooks = await ports.database.read((sql) => webhooksOf(sql, repository.id));
  const form = createPageForm(pathIn(context, 'settings/hooks'), session.secret, refused);
  return formPage(
    `Webhooks · ${fullName(repository)}`,
    html`${repositoryHead(context)} ${settingsNav(context)}
      <h2>Webhooks</h2>
      ${
        hooks.length === 0
          ? html`<p class="empty">There is no webhook yet. Add one below.</p>`
          : html`<ul class="rows">
              ${hooks.map(
                (hook) =>
                  html`<li>
                    <a class="grow" href="${pathIn(context, `settings/hooks/${hook.id}`)}"
                      >${hook.url}</a
                    >
                    ${hook.active ? '' : html`<span class="mark">inactive</span>`} ${lastView(hook)}
                  </li>`,
              )}
            </ul>`
      }
      <h2>New webhook</h2>
      ${form.view('create', html`${webhookFields(form, undefined)}<button class="primary" type="submit">Create webhook</button>`)}`,
    refused?.status,
  );
}

function lastView({ last }: Webhook): Html {
  if (!last) return html`<span class="soft">nothing delivered yet</span>`;
  const good = last.code !== null && last.code >= 200 && last.code < 300;
  return html`<span class="${good ? 'good' : 'bad'}"
    >${good ? '✓' : '✗'} ${last.code === null || last.code === 0 ? '' : last.code}
    ${last.status}</span
  >`;
}

function webhookFields(form: PageForm, hook: Webhook | undefined): Html {
  const events = new Set(hook?.events ?? ['push']);
  const contentType = form.value('content_type', hook?.contentType ?? 'json');
  return html`${textField({
      label: 'URL, or the ARN of a function of this server',
      name: 'url',
      value: form.value('url', hook?.url ?? ''),
      autocomplete: 'url',
      required: true,
    })}
    ${selectField({
      label: 'Content type',
      name: 'content_type',
      value: contentType,
      options: [
        { value: 'json', label: 'application/json' },
        { value: 'form', label: 'application/x-www-form-urlencoded' },
      ],
    })}
    ${textField({
      label: `Secret${hook?.secret === null || hook === undefined ? '' : ': empty to keep the present one'}`,
      name: 'secret',
      type: 'password',
      autocomplete: 'new-password',
    })}
    <fieldset>
      <legend>Events</legend>
      ${checkbox('events', '*', form.checked('events', '*', events.has('*')), 'all events')}
      ${[...webhookEvents].filter((event) => event !== '*').map((event) => checkbox('events', event, form.checked('events', event, events.has(event))))}
    </fieldset>
    ${checkbox('active', '1', form.checked('active', '1', hook?.active ?? true), 'Active')}`;
}

/** A webhook with its deliveries. */
export async function showWebhook(
  context: RepositoryContext & SignedIn,
  refused?: RefusedForm,
): Promise<WebResponse> {
  requireAdmin(context);
  const { ports, repository, session, path, query, now } = context;
  const id = idIn(path['hook']);
  const bounds = readPage(query);
  const { hook, deliveries, hasNext } = await ports.database.read(async (sql) => ({
    hook: (await findWebhook(sql, repository.id, id)) ?? notFound(),
    ...(await listDeliveries(sql, id, bounds)),
  }));
  const pageUrl = pathIn(context, `settings/hooks/${id}`);
  const form = createPageForm(pageUrl, session.secret, refused);
  const deliveryRow = (delivery: DeliverySummary): Html =>
    html`<li>
      ${outcomeView(delivery)}
      <a class="grow" href="${pageUrl}/deliveries/${delivery.id}"
        >${delivery.event}${delivery.action === null ? '' : `.${delivery.action}`}</a
      >
      ${delivery.redelivery ? html`<span class="mark">redelivery</span>` : ''}
      ${delivery.outcome ? timeElement(delivery.outcome.at, now) : ''}
    </li>`;
  return formPage(
    `Webhook ${id} · ${fullName(repository)}`,
    html`${repositoryHead(context)} ${settingsNav(context)}
      <h2>Webhook</h2>
      <p>${lastView(hook)}</p>
      ${problemView(refused?.act === 'update' ? undefined : refused?.problem)}
      ${form.view('update', html`${webhookFields(form, hook)}<button class="primary" type="submit">Save</button>`)}
      <div class="actions">
        ${form.row('ping', html`<button type="submit">Send a ping</button>`)}
        ${asking('Delete', form.row('delete', html`<button class="danger" type="submit">Delete the webhook for good</button>`))}
      </div>
      <h2>Deliveries</h2>
      ${
        deliveries.length === 0
          ? html`<p class="empty">Nothing has been delivered yet.</p>`
          : html`<ul class="rows">
              ${deliveries.map(deliveryRow)}
            </ul>`
      }
      ${pageLinks(pageUrl, bounds, hasNext)}`,
    refused?.status,
  );
}

function outcomeView({ outcome }: Pick<DeliverySummary, 'outcome'>): Html {
  if (!outcome) return html`<span class="waiting">● waits</span>`;
  const good = outcome.code >= 200 && outcome.code < 300;
  const code = outcome.code === 0 ? '' : `${outcome.code} `;
  return html`<span class="${good ? 'good' : 'bad'}"
    >${good ? '✓' : '✗'} ${code}${outcome.status}</span
  >`;
}

/** What was sent and answered. */
export async function showDelivery(context: RepositoryContext & SignedIn): Promise<WebResponse> {
  requireAdmin(context);
  const { ports, repository, session, path, now } = context;
  const id = idIn(path['hook']);
  const delivery = await ports.database.read(async (sql) => {
    if (!(await findWebhook(sql, repository.id, id))) return notFound();
    return (await findDelivery(sql, id, idIn(path['delivery']))) ?? notFound();
  });
  const pageUrl = pathIn(context, `settings/hooks/${id}`);
  const form = createPageForm(pageUrl, session.secret, undefined);
  const { outcome } = delivery;
  return formPage(
    `Delivery ${delivery.id} · ${fullName(repository)}`,
    html`${repositoryHead(context)} ${settingsNav(context)}
      <h2>${delivery.event} <code>${delivery.guid ?? ''}</code></h2>
      <p>
        ${outcomeView(delivery)}
        ${outcome ? html`in ${outcome.milliseconds} ms, ${timeElement(outcome.at, now)}` : ''} ·
        <a href="${pageUrl}">the webhook</a>
      </p>
      ${form.row('redeliver', html`${hidden('delivery', String(delivery.id))}<button type="submit">Deliver it again</button>`)}
      <h3>Request</h3>
      <pre tabindex="0">${headerLines(outcome?.requestHeaders)}</pre>
      <pre tabindex="0">${delivery.payload ?? ''}</pre>
      <h3>Answer</h3>
      <pre tabindex="0">${headerLines(outcome?.responseHeaders)}</pre>
      <pre tabindex="0">${outcome?.responseBody ?? ''}</pre>`,
  );
}

function headerLines(headers: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** Creates, changes, pings and deletes webhooks, and delivers again. */
export function submitWebhookAct(perform: Perform): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, path, repository } = context;
    const hook = path['hook'] ?? '';
    const at = { owner: repository.owner.login, repo: repository.name };
    const one = { ...at, hook_id: hook };
    const pageUrl = pathIn(context, `settings/hooks/${hook}`);
    return answerAct(context, hook === '' ? showWebhooks : showWebhook, async (name) => {
      if (hook === '') {
        if (name !== 'create') unknownAct();
        const reply = await perform(context, 'repos/create-webhook', at, webhookOf(form));
        const id = reply.kind === 'json' ? numberIn(reply.body, 'id') : undefined;
        return pathIn(context, `settings/hooks/${id ?? ''}`);
      }
      switch (name) {
        case 'update':
          await perform(context, 'repos/update-webhook', one, webhookOf(form));
          return pageUrl;
        case 'ping':
          await perform(context, 'repos/ping-webhook', one);
          return pageUrl;
        case 'redeliver': {
          const delivery = form.get('delivery') ?? '';
          const parameters = { ...one, delivery_id: delivery };
          await perform(context, 'repos/redeliver-webhook-delivery', parameters);
          return pageUrl;
        }
        case 'delete':
          await perform(context, 'repos/delete-webhook', one);
          return pathIn(context, 'settings/hooks');
        default:
          return unknownAct();
      }
    });
  };
}

function webhookOf(form: URLSearchParams): Readonly<Record<string, unknown>> {
  const secret = form.get('secret') ?? '';
  return {
    config: {
      url: (form.get('url') ?? '').trim(),
      content_type: form.get('content_type') ?? 'json',
      ...(secret === '' ? {} : { secret }),
    },
    events: form.getAll('events'),
    active: form.has('active'),
  };
}

function idIn(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : notFound();
}
