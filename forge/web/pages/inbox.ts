import { notFound } from '../../errors/api-error.ts';
import { readPage } from '../../http/pagination.ts';
import { fullName } from '../../model/repository.ts';
import { listThreads } from '../../notifications/notification-store.ts';
import {
  threadsMax,
  visibleThreads,
  type VisibleThread,
} from '../../notifications/visible-threads.ts';
import { hidden, tokenFor } from '#web/form.ts';
import { html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { formPage, seeOther, type WebResponse } from '#web/web-response.ts';
import { inboxPath } from '../kit/page-paths.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { becauseOf } from '../parts/discussion-side.ts';
import { sessionCaller } from '../../auth/sessions/session.ts';

/** The notifications of the user, unread ones or all. */
export async function showInbox(context: WebContext & SignedIn): Promise<WebResponse> {
  const { ports, session, urls, query, now } = context;
  const all = query.get('all') === '1';
  const bounds = readPage(query);
  const caller = sessionCaller(session);
  const filter = { all, participating: false, since: undefined, before: undefined };
  const threads = await ports.database.read(async (sql) =>
    visibleThreads(sql, caller, await listThreads(sql, session.account.id, filter, threadsMax)),
  );
  const shown = threads.slice(bounds.offset, bounds.offset + bounds.size);
  const pageUrl = all ? `${inboxPath}?all=1` : inboxPath;
  return formPage(
    'Notifications',
    html`<h1>Notifications</h1>
      <nav class="actions" aria-label="Which">
        <a href="${inboxPath}" ${all ? '' : html`aria-current="true"`}>Unread</a>
        <a href="${inboxPath}?all=1" ${all ? html`aria-current="true"` : ''}>All</a>
      </nav>
      ${
        shown.length === 0
          ? html`<p class="empty">
              Nothing ${all ? 'has happened' : 'is unread'}. See
              <a href="${urls.web('/')}">all repositories</a>.
            </p>`
          : html`<ul class="rows">
                ${shown.map(threadRow)}
              </ul>
              ${pageLinks(pageUrl, bounds, bounds.offset + bounds.size < threads.length)}
              <form class="line" method="post" action="${inboxPath}">
                ${tokenFor(session.secret)} ${hidden('until', new Date(now).toISOString())}
                <button type="submit">Mark all as read</button>
              </form>`
      }`,
  );

  function threadRow({ thread, repository }: VisibleThread): Html {
    const name = fullName(repository);
    const { number, title, pull } = thread.subject;
    const href = pull ? urls.pullHtml(name, number) : urls.issueHtml(name, number);
    return html`<li>
      ${thread.unread ? html`<span class="waiting">● unread</span>` : html`<span class="soft">○ read</span>`}
      <span class="grow"><a href="${href}">${title}</a></span>
      <span class="soft">${name}#${number}, because ${becauseOf[thread.reason]}</span>
      ${timeElement(thread.updatedAt, now)}
      ${
        thread.unread
          ? html`<form class="line" method="post" action="${inboxPath}/${thread.id}/read">
              ${tokenFor(session.secret)}
              <button type="submit" aria-label="Mark as read: ${name}#${number}">
                Mark as read
              </button>
            </form>`
          : ''
      }
    </li>`;
  }
}

/** Marks what was there when the page was shown, or one thread, as read. */
export function submitRead(
  perform: Perform,
): (context: FormContext & SignedIn) => Promise<WebResponse> {
  return async (context) => {
    const { form, path } = context;
    if (path['id'] !== undefined) {
      await perform(context, 'activity/mark-thread-as-read', { thread_id: path['id'] });
      return seeOther(inboxPath);
    }
    // Without a time, the operation would mark what has come since, too.
    const until = form.get('until') ?? notFound();
    await perform(context, 'activity/mark-notifications-as-read', {}, { last_read_at: until });
    return seeOther(inboxPath);
  };
}
