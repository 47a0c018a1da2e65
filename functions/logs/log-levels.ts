/** Levels from the least severe to the most, in AWS's order (functions 2.2). */
const applicationLevels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;
const systemLevels = ['DEBUG', 'INFO', 'WARN'] as const;

export type ApplicationLevel = (typeof applicationLevels)[number];
export type SystemLevel = (typeof systemLevels)[number];

export function readApplicationLevel(level: unknown): ApplicationLevel | undefined {
  if (typeof level !== 'string') return undefined;
  const upper = level.toUpperCase();
  return applicationLevels.find((known) => known === upper);
}

/** A record passes if it is at least as severe as the selected level. */
export function passesApplication(level: ApplicationLevel, selected: ApplicationLevel): boolean {
  return applicationLevels.indexOf(level) >= applicationLevels.indexOf(selected);
}

export function passesSystem(level: SystemLevel, selected: SystemLevel): boolean {
  return systemLevels.indexOf(level) >= systemLevels.indexOf(selected);
}
