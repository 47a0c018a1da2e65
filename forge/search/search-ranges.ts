import { SearchQueryError } from './search-query.ts';

/** From and to, both of which belong to it; undefined: without an end. */
export interface Range {
  readonly from?: number;
  readonly to?: number;
}

/** `5`, `>5`, `>=5`, `<5`, `<=5`, `2..5`, `*..5`, `2..*`. */
export function numberRange(text: string): Range {
  return rangeOf(text, (number) => {
    if (!/^\d{1,15}$/.test(number)) {
      throw new SearchQueryError(`"${number.slice(0, 100)}" is not a number.`);
    }
    return { from: Number(number), to: Number(number) };
  });
}

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/** The same of dates and times by ISO 8601, in milliseconds since the epoch. A date means all of that day. */
export function timeRange(text: string): Range {
  return rangeOf(text, (time) => {
    const date = /^\d{4}-\d{2}-\d{2}$/.test(time);
    const full = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/.exec(time);
    // Without an offset it is in UTC.
    const from = date || full?.[3] ? Date.parse(time) : Date.parse(`${time}Z`);
    if ((!date && !full) || Number.isNaN(from)) {
      const message = `"${time.slice(0, 100)}" is not a recognized date/time format. Please provide an ISO 8601 date/time value, such as YYYY-MM-DD.`;
      throw new SearchQueryError(message);
    }
    if (date) return { from, to: from + day - 1 };
    const length = full?.[1] === undefined ? minute : second;
    return { from, to: from + (full?.[2] === undefined ? length : 1) - 1 };
  });
}

function rangeOf(text: string, read: (text: string) => Required<Range>): Range {
  const [, comparison, compared = ''] = /^([<>]=?)(.*)$/s.exec(text) ?? [];
  switch (comparison ?? '') {
    case '>':
      return { from: read(compared).to + 1 };
    case '>=':
      return { from: read(compared).from };
    case '<':
      return { to: read(compared).from - 1 };
    case '<=':
      return { to: read(compared).to };
    default:
      break;
  }
  const [from = '', to, ...more] = text.split('..');
  if (to === undefined || more.length > 0) return read(text);
  return {
    ...(from === '*' ? {} : { from: read(from).from }),
    ...(to === '*' ? {} : { to: read(to).to }),
  };
}
