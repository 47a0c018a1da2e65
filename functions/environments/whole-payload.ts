import type { Outcome } from './execution-environment.ts';

/** What a function answered, for those who want it in one: a response that comes in pieces is waited for. */
export async function wholePayload(outcome: Outcome): Promise<Uint8Array> {
  return outcome.kind === 'stream' ? collected(outcome.body) : outcome.payload;
}

export async function collected(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
