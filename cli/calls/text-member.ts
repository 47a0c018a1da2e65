import type { Output } from './call-operation.ts';

/** A member of an answer that is a text or a number, as text; what is absent or something else is the fallback. */
export function textMember(output: Output, name: string, fallback = ''): string {
  const value = output[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : fallback;
}
