/** A value in a response. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [member: string]: Json | undefined };

/** `YYYY-MM-DDTHH:MM:SSZ`, never with a fraction: some clients parse by exactly this form (forge 2.2). */
export function timestamp(milliseconds: number): string;
export function timestamp(milliseconds: number | null): string | null;
export function timestamp(milliseconds: number | null): string | null {
  if (milliseconds === null) return null;
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
