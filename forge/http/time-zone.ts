/** Name of a time zone in a request; a longer one is no zone. */
const nameCharactersMax = 64;

/** The syntax of names in the Olson database; other strings never reach a formatter. */
const zoneName = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+){0,2}$/;

/** A zone of the Olson database, old names included; undefined for anything else. */
export function parseTimeZone(name: string | undefined): string | undefined {
  const requested = name?.trim();
  if (requested === undefined || requested.length > nameCharactersMax || !zoneName.test(requested))
    return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: requested }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The offset of a zone in minutes east of UTC at a time (milliseconds since the epoch). */
export function zoneOffsetMinutes(zone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find((part) => part.type === 'timeZoneName')?.value;
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(parts ?? '');
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}
