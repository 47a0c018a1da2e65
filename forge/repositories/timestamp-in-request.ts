/** A timestamp in a request. */
export interface NamedTimestamp {
  /** Seconds since the epoch. */
  readonly seconds: number;
  /** Minutes east of UTC; undefined if the timestamp has no offset, in which case `seconds` is computed as UTC. */
  readonly offsetMinutes: number | undefined;
}

const pattern =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|([+-])(\d\d):?(\d\d))?$/i;

/** Parses an ISO 8601 timestamp; undefined for anything else, including dates that do not exist. */
export function parseTimestamp(text: string): NamedTimestamp | undefined {
  const match = pattern.exec(text.trim());
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // `Date` carries overflowing days and hours into the next unit, so the parsed fields must equal the written ones.
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
