import { listLayers } from '#functions-contract/operations/layers.ts';
import { html, type Html } from '#web/html.ts';

import type { ConsoleContext } from '../kit/console-context.ts';
import { layerChoicesId } from './settings.ts';

/** The newest versions of layers, to choose from. */
export async function layerChoices({ run }: ConsoleContext): Promise<Html> {
  const { Layers = [] } = await run(listLayers)({});
  return html`<datalist id="${layerChoicesId}">
    ${Layers.map(
      ({ LatestMatchingVersion }) =>
        html`<option value="${LatestMatchingVersion?.LayerVersionArn ?? ''}"></option>`,
    )}
  </datalist>`;
}
