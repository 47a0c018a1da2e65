import { present } from '#platform/present.ts';
import { selectField, textField } from '#web/fields.ts';
import { counted, html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { page, type WebResponse } from '#web/web-response.ts';

import {
  functionOrders,
  type FunctionOrder,
  type SearchedFunction,
  searchFunctions,
} from '../../configuration/searched-functions-store.ts';
import { createPath, functionPath, functionsPath, layersPath, mappingsPath } from '../kit/paths.ts';
import type { ConsoleContext, ConsolePage } from '../kit/console-context.ts';
import { stateMark } from '../parts/function-head.ts';
import { pageNumber } from '../parts/list-page.ts';

/** Functions on a page of their list. */
const pageSize = 50;
const day = 86_400_000;

export const functionsPage: ConsolePage = { path: functionsPath, show: showFunctions };

const orderLabels: Readonly<Record<FunctionOrder, string>> = {
  name: 'Name',
  modified: 'Last modified',
  invocations: 'Invocations',
  errors: 'Errors',
};

async function showFunctions({ ports, query, now }: ConsoleContext): Promise<WebResponse> {
  const text = query.get('q') ?? '';
  const order = orderIn(query.get('sort'));
  const number = pageNumber(query);
  const found = await ports.database.read((sql) =>
    searchFunctions(
      sql,
      { text, order, since: now - day },
      { offset: (number - 1) * pageSize, size: pageSize + 1 },
    ),
  );
  const shown = found.slice(0, pageSize);
  const pageUrl = `${functionsPath}?${new URLSearchParams({ q: text, sort: order }).toString()}`;
  return page(
    'Functions',
    html`<h1>Functions</h1>
      <p class="actions">
        <a class="button primary" href="${createPath}">Create function</a>
        <a class="button" href="${layersPath}">Layers</a>
        <a class="button" href="${mappingsPath}">Event source mappings</a>
      </p>
      ${
        shown.length === 0 && text === '' && number === 1
          ? noFunctions
          : html`<form class="line" method="get" action="${functionsPath}">
                ${textField({ label: 'Name contains', name: 'q', value: text })}
                ${selectField({
                  label: 'Sort by',
                  name: 'sort',
                  value: order,
                  options: Object.entries(orderLabels).map(([value, label]) => ({ value, label })),
                })}
                <button type="submit">Show</button>
              </form>
              <p class="soft">Invocations and errors are those of the last day.</p>
              ${
                shown.length === 0
                  ? html`<p class="empty">No function is found.</p>`
                  : html`<ul class="rows">
                      ${shown.map((each) => functionRow(each, now))}
                    </ul>`
              }`
      }
      ${pageLinks(pageUrl, { number }, found.length > pageSize)}`,
  );
}

/** By name, for what is no order. */
function orderIn(text: string | null): FunctionOrder {
  const given = text ?? '';
  return isOrder(given) ? given : 'name';
}

function isOrder(text: string): text is FunctionOrder {
  return Object.hasOwn(functionOrders, text);
}

function functionRow(each: SearchedFunction, now: number): Html {
  const { name, description, runtime, invocations, errors } = each;
  return html`<li>
    <a href="${functionPath(name)}">${name}</a>
    <span class="grow soft">${description}</span>
    <a href="${functionPath(name, 'monitor')}?period=1d"
      >${counted(invocations, 'invocation')},
      ${errors === 0 ? 'no errors' : html`<strong>${counted(errors, 'error')}</strong>`}</a
    >
    <span class="mark">${runtime ?? 'Container image'}</span>
    ${stateMark({ State: each.state, ...present({ LastUpdateStatus: each.lastUpdateStatus }) })}
    ${timeElement(each.lastModified, now)}
  </li>`;
}

const noFunctions = html`<div class="empty">
  <p>There is no function yet. Create one here, or from a zip archive:</p>
  <pre
    tabindex="0"
  ><code>aws lambda create-function --function-name greet --runtime nodejs24.x --handler index.handler   --role arn:aws:iam::123456789012:role/greeter --zip-file fileb://greet.zip</code></pre>
</div>`;
