/** How far back a page looks. */
export interface Period {
  readonly value: string;
  readonly label: string;
  readonly milliseconds: number;
}

const hour = 3_600_000;

const usual: Period = { value: '1h', label: '1 hour', milliseconds: hour };

export const periods: readonly Period[] = [
  { value: '5m', label: '5 minutes', milliseconds: hour / 12 },
  usual,
  { value: '3h', label: '3 hours', milliseconds: 3 * hour },
  { value: '1d', label: '1 day', milliseconds: 24 * hour },
  { value: '1w', label: '1 week', milliseconds: 7 * 24 * hour },
];

export function periodIn(query: URLSearchParams): Period {
  return periods.find(({ value }) => value === query.get('period')) ?? usual;
}
