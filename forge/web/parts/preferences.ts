import { clearCookie, readCookie, writeCookie } from '#web/cookies.ts';
import { selectField } from '#web/fields.ts';
import { html, type Html } from '#web/html.ts';
import type { PageForm } from '#web/page-form.ts';

import { rememberTimeZone } from '../../accounts/account-store.ts';
import { refuse } from '../../errors/api-error.ts';
import { parseTimeZone } from '../../http/time-zone.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';

const year = 365 * 86_400_000;

/** How pages look in this browser, and the time zone of commits that the user makes on pages. */
export function preferenceFields(
  { session, cookies, baseUrl }: Pick<WebContext, 'cookies' | 'baseUrl'> & SignedIn,
  form: PageForm,
): Html {
  const zone = session.account.timeZone ?? 'UTC';
  const zones = Intl.supportedValuesOf('timeZone');
  return html`${selectField({
      label: 'Theme, in this browser',
      name: 'theme',
      value: form.value('theme', readCookie(cookies, 'theme', baseUrl) ?? 'system'),
      options: [
        { value: 'system', label: 'As the system' },
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ],
    })}
    ${selectField({
      label: 'Keyboard shortcuts, in this browser; ? lists them',
      name: 'shortcuts',
      value: form.value('shortcuts', readCookie(cookies, 'shortcuts', baseUrl) ?? 'on'),
      options: [
        { value: 'on', label: 'On' },
        { value: 'off', label: 'Off' },
      ],
    })}
    ${selectField({
      label: 'Time zone of commits that you make on pages',
      name: 'time_zone',
      value: form.value('time_zone', zone),
      options: [...new Set(['UTC', zone, ...zones])],
    })} <button type="submit">Save preferences</button>`;
}

/** Stores the time zone; returns the cookies with the theme and whether there are shortcuts. */
export async function savePreferences({
  form,
  ports,
  session,
  baseUrl,
}: FormContext & SignedIn): Promise<readonly string[]> {
  const zone = parseTimeZone(form.get('time_zone') ?? '');
  if (zone === undefined) {
    return refuse({ kind: 'unprocessable', message: 'Choose a time zone of the list.' });
  }
  const theme = form.get('theme') ?? '';
  await ports.database.write((sql) => rememberTimeZone(sql, session.account.id, zone));
  const options = { baseUrl, milliseconds: year };
  return [
    theme === 'light' || theme === 'dark'
      ? writeCookie('theme', theme, options)
      : clearCookie('theme', baseUrl),
    form.get('shortcuts') === 'off'
      ? writeCookie('shortcuts', 'off', options)
      : clearCookie('shortcuts', baseUrl),
  ];
}
