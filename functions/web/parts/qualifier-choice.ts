import { html, type Html } from '#web/html.ts';
import type { RefusedForm } from '#web/page-form.ts';

import type { ConsoleContext } from '../kit/console-context.ts';

/** The version or alias that a page is about: of the URL, or of the form that was refused. Empty: the function itself. */
export function chosenQualifier({ query }: ConsoleContext, refused?: RefusedForm): string {
  return refused?.fields.get('qualifier') ?? query.get('qualifier') ?? '';
}

/** As the member of an operation, which lacks it for the function itself. */
export function qualifierMember(qualifier: string): { readonly Qualifier?: string } {
  return qualifier === '' ? {} : { Qualifier: qualifier };
}

/** The way from a page about the function to those about its versions and aliases. */
export function qualifierChoice(
  pageUrl: string,
  qualifiers: readonly string[],
  chosen: string,
): Html {
  if (qualifiers.length === 0) return html``;
  return html`<nav class="pages" aria-label="Versions and aliases">
    ${['', ...qualifiers].map(
      (each) =>
        html`<a
          href="${each === '' ? pageUrl : `${pageUrl}?qualifier=${encodeURIComponent(each)}`}"
          ${each === chosen ? html`aria-current="page"` : ''}
          >${each === '' ? '$LATEST' : each}</a
        > `,
    )}
  </nav>`;
}

/** The URL of a page with the same choice. */
export function withQualifier(pageUrl: string, qualifier: string): string {
  return qualifier === '' ? pageUrl : `${pageUrl}?qualifier=${encodeURIComponent(qualifier)}`;
}

/** The last part of an ARN of a version or alias; empty for that of the function. */
export function qualifierOfArn(arn: string): string {
  const qualifier = arn.split(':')[7] ?? '';
  return qualifier === '$LATEST' ? '' : qualifier;
}
