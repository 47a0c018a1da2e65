import { inTurns } from '#platform/in-turns.ts';

import { DeferredText, type Json } from './json-values.ts';

/** Makes the deferred texts of a response, with time for everything else between long ones. */
export async function makeTexts(body: Json): Promise<void> {
  await inTurns(textsIn(body), (text) => text.toJSON());
}

function* textsIn(value: Json | undefined): Generator<DeferredText> {
  if (typeof value !== 'object' || value === null) return;
  if (value instanceof DeferredText) yield value;
  else for (const property of Object.values(value)) yield* textsIn(property);
}
