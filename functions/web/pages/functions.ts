import { listFunctions } from '#functions-contract/operations/functions.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import { page, type WebResponse } from '#web/web-response.ts';

import {
  createAddress,
  functionAddress,
  functionsAddress,
  layersAddress,
} from '../kit/addresses.ts';
import type { ConsoleContext, ConsolePage } from '../kit/console-context.ts';
import { type FunctionConfiguration, stateMark } from '../parts/function-head.ts';

const pageSize = 50;

export const functionsPage: ConsolePage = { path: functionsAddress, show: showFunctions };

async function showFunctions({ run, query, now }: ConsoleContext): Promise<WebResponse> {
  const marker = query.get('marker');
  const { Functions = [], NextMarker } = await run(listFunctions)({
    MaxItems: pageSize,
    ...(marker === null ? {} : { Marker: marker }),
  });
  const next =
    NextMarker === undefined
      ? html``
      : html`<nav class="pages" aria-label="Pages of the list">
          <a href="${functionsAddress}?marker=${encodeURIComponent(NextMarker)}">Next functions</a>
        </nav>`;
  return page(
    'Functions',
    html`<h1>Functions</h1>
      <p class="actions">
        <a class="button primary" href="${createAddress}">Create function</a>
        <a class="button" href="${layersAddress}">Layers</a>
      </p>
      ${
        Functions.length === 0
          ? noFunctions
          : html`<ul class="rows">
              ${Functions.map((each) => functionRow(each, now))}
            </ul>`
      }
      ${next}`,
  );
}

function functionRow(configuration: FunctionConfiguration, now: number): Html {
  const { FunctionName = '', Description, Runtime, PackageType, LastModified } = configuration;
  return html`<li>
    <a href="${functionAddress(FunctionName)}">${FunctionName}</a>
    <span class="grow soft">${Description}</span>
    <span class="mark">${PackageType === 'Image' ? 'Container image' : Runtime}</span>
    ${stateMark(configuration)}
    ${LastModified === undefined ? '' : timeElement(Date.parse(LastModified), now)}
  </li>`;
}

const noFunctions = html`<div class="empty">
  <p>There is no function yet. Create one here, or from a zip archive:</p>
  <pre
    tabindex="0"
  ><code>aws lambda create-function --function-name greet --runtime nodejs24.x --handler index.handler   --role arn:aws:iam::123456789012:role/greeter --zip-file fileb://greet.zip</code></pre>
</div>`;
