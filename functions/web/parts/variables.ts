import { createHash } from 'node:crypto';

import { areaOf } from '#web/fields.ts';
import { html, type Html } from '#web/html.ts';

import type { Variables } from '../../configuration/configuration.ts';
import type { FunctionConfiguration } from './function-head.ts';

/** Rows for new variables. */
const blankRows = 3;

/** The variables of a form: pairs of fields, of which those without a name are no variable. */
export function readVariables(form: URLSearchParams): Variables {
  const values = form.getAll('variable_value');
  return Object.fromEntries(
    form
      .getAll('variable_name')
      .map((name, index) => [name.trim(), withLineFeeds(values[index] ?? '')])
      .filter(([name]) => name !== ''),
  );
}

export function variablesOf({ Environment }: FunctionConfiguration): Variables {
  return Environment?.Variables ?? {};
}

export function variableFields(variables: Variables): Html {
  const rows = [...Object.entries(variables), ...Array.from({ length: blankRows }, () => ['', ''])];
  return html`<fieldset>
    <legend>Environment variables</legend>
    <p class="soft">To remove a variable, clear its name.</p>
    ${rows.map(([name = '', value = ''], index) => {
      const about = name === '' ? `of new variable ${index + 1}` : `of variable ${name}`;
      return html`<div class="actions">
        <input
          type="text"
          name="variable_name"
          value="${name}"
          aria-label="Name ${about}"
          placeholder="NAME"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
        />
        ${areaOf(value, html`class="short" name="variable_value" rows="1" spellcheck="false" aria-label="Value ${about}"`)}
      </div>`;
    })}
  </fieldset>`;
}

/** What identifies a value without revealing it, for a comparison with a later one. */
export function digestOf(value: string): string {
  return createHash('sha256').update(value).digest('base64url').slice(0, 22);
}

/** Browsers send the line breaks of text areas as CR LF (HTML, 4.10.22.4). */
export function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
