/** Zones by the names of the Olson database; nothing else ever reaches a formatter (reliability H20). */
const knownZones = new Map(
  ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => [zone.toLowerCase(), zone]),
);

export function parseTimeZone(name: string | undefined): string | undefined {
  return name === undefined ? undefined : knownZones.get(name.trim().toLowerCase());
}

/** Minutes east of UTC that a zone is at a moment (milliseconds since the epoch). */
export function zoneOffsetMinutes(zone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find((part) => part.type === 'timeZoneName')?.value;
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(parts ?? '');
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}
