import { invalid } from '../errors/api-error.ts';

/** A moment in a query, in milliseconds since the epoch; refuses what is none. */
export function momentIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text === null ? undefined : parseMoment(text, name);
}

export function parseMoment(text: string, field: string): number {
  const moment = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) return invalid({ resource: 'Notification', field, code: 'invalid' });
  return moment;
}
