import {
  listLayers,
  listLayerVersions,
  publishLayerVersion,
} from '#functions-contract/operations/layers.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import { textField } from '#web/fields.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { noSuchResource } from '../../errors/functions-error.ts';
import { functionsPath, layerPath, layerRoute, layersPath } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { layerFields, layerInput } from '../parts/layer-fields.ts';

export const layersPage: ConsolePage = {
  path: layersPath,
  show: showLayers,
  acts: { publish: submitNewLayer },
  uploads: ['publish'],
};

export const layerPage: ConsolePage = {
  path: layerRoute,
  show: showLayer,
  acts: { publish: submitVersion },
  uploads: ['publish'],
};

type Listed = NonNullable<
  StructureOf<(typeof listLayerVersions)['output']>['LayerVersions']
>[number];

async function showLayers(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const { run, now, user } = context;
  const { Layers = [], NextMarker } = await run(listLayers)(fromMarker(context));
  const form = createPageForm(layersPath, user.secret, refused);
  return formPage(
    'Layers',
    html`<h1><a class="crumb" href="${functionsPath}">Functions</a> / Layers</h1>
      ${
        Layers.length === 0
          ? html`<p class="empty">
              There is no layer. A layer is an archive that several functions share: libraries, a
              runtime or data. Publish one below.
            </p>`
          : html`<ul class="rows">
              ${Layers.map(({ LayerName = '', LatestMatchingVersion = {} }) =>
                row(layerPath(LayerName), LayerName, LatestMatchingVersion, now),
              )}
            </ul>`
      }
      ${nextLink(layersPath, NextMarker, 'Next layers')}
      <h2>Publish layer</h2>
      ${form.view(
        'publish',
        html`${textField({
          label: 'Layer name',
          name: 'layer',
          value: form.value('layer'),
          required: true,
        })}
        ${layerFields(form)}`,
        'upload',
      )}`,
    refused?.status,
  );
}

async function showLayer(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const { run, now, user, path } = context;
  const { layer = '' } = path;
  const { LayerVersions = [], NextMarker } = await run(listLayerVersions)({
    LayerName: layer,
    ...fromMarker(context),
  });
  // The operation answers an empty list for a layer that does not exist.
  if (LayerVersions.length === 0) throw noSuchResource();
  const form = createPageForm(layerPath(layer), user.secret, refused);
  return formPage(
    `Layer ${layer}`,
    html`<h1><a class="crumb" href="${layersPath}">Layers</a> / ${layer}</h1>
      <ul class="rows">
        ${LayerVersions.map((each) =>
          row(layerPath(layer, each.Version), `Version ${each.Version}`, each, now),
        )}
      </ul>
      ${nextLink(layerPath(layer), NextMarker, 'Older versions')}
      <h2>Publish new version</h2>
      ${form.view('publish', layerFields(form), 'upload')}`,
    refused?.status,
  );
}

function row(
  pageUrl: string,
  label: string,
  { Version, Description, CompatibleRuntimes = [], CreatedDate = '' }: Listed,
  now: number,
): Html {
  return html`<li>
    <a href="${pageUrl}">${label}</a>
    <span class="grow soft">${Description}</span>
    ${CompatibleRuntimes.map((runtime) => html`<span class="mark">${runtime}</span> `)}
    <span class="soft">version ${Version}</span> ${timeElement(Date.parse(CreatedDate), now)}
  </li>`;
}

function fromMarker({ query }: ConsoleContext): { readonly Marker?: string } {
  const marker = query.get('marker');
  return marker === null ? {} : { Marker: marker };
}

function nextLink(pageUrl: string, marker: string | undefined, label: string): Html {
  if (marker === undefined) return html``;
  return html`<nav class="pages" aria-label="Pages of the list">
    <a href="${pageUrl}?marker=${encodeURIComponent(marker)}">${label}</a>
  </nav>`;
}

async function submitNewLayer(context: ConsoleForm): Promise<string> {
  const LayerName = (context.form.get('layer') ?? '').trim();
  return publish(context, LayerName);
}

async function submitVersion(context: ConsoleForm): Promise<string> {
  return publish(context, context.path['layer'] ?? '');
}

async function publish(context: ConsoleForm, LayerName: string): Promise<string> {
  const { LayerArn = '', Version } = await context.run(publishLayerVersion)({
    LayerName,
    ...layerInput(context),
  });
  // A layer may be named by its ARN.
  return layerPath(LayerArn.split(':').at(-1) ?? '', Version);
}
