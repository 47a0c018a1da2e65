/** A moment that a request names. */
export interface NamedTimestamp {
  /** Seconds since the epoch. */
  readonly seconds: number;
  /** Minutes east of UTC; undefined when the request names no zone and the seconds are counted as if it were UTC. */
  readonly offsetMinutes: number | undefined;
}

const pattern =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|([+-])(\d\d):?(\d\d))?$/i;

/** Reads an ISO 8601 timestamp; undefined for anything else, and for days that no calendar has. */
export function parseTimestamp(text: string): NamedTimestamp | undefined {
  const match = pattern.exec(text.trim());
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // Date counts on over the end of a month, a day or an hour: what comes back must be what was written.
  const fields = [date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours()];
  if (fields.join() !== [month, day, hour].join() || minute > 59 || second > 59) return undefined;
  const seconds = date.getTime() / 1000;
  const [sign, zoneHours, zoneMinutes] = [match[7], Number(match[8]), Number(match[9])];
  if (sign === undefined) {
    return { seconds, offsetMinutes: /z$/i.test(text.trim()) ? 0 : undefined };
  }
  if (zoneHours > 23 || zoneMinutes > 59) return undefined;
  const east = zoneHours * 60 + zoneMinutes;
  const offsetMinutes = sign === '-' && east > 0 ? -east : east;
  return { seconds: seconds - offsetMinutes * 60, offsetMinutes };
}
