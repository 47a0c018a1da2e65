/** A value in a response. */
export type Json =
  | string
  | number
  | boolean
  | null
  | DeferredText
  | readonly Json[]
  | { readonly [field: string]: Json | undefined };

/** A text in a response that takes the processor long to make: after the transaction, and not all of a list at once. */
export class DeferredText {
  readonly #make: () => string;
  #text: string | undefined;

  constructor(make: () => string) {
    this.#make = make;
  }

  toJSON(): string {
    this.#text ??= this.#make();
    return this.#text;
  }
}

/** `YYYY-MM-DDTHH:MM:SSZ`, never with a fraction: some clients parse by exactly this form (docs/specification/forge.md 2.2). */
export function timestamp(milliseconds: number): string;
export function timestamp(milliseconds: number | null): string | null;
export function timestamp(milliseconds: number | null): string | null {
  if (milliseconds === null) return null;
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
