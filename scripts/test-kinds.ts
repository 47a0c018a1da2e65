/** Which suite runs a test file, and how. */
const scenarioFolders: readonly string[] = ['scenarios/', 'faults/', 'examples/'];

/**
 * What `npm test` leaves to `npm run test:scenarios`: whole servers, killed, restarted and starved, and tests next to their files that take
 * many seconds, because of real processes or because they try the whole interface.
 */
export function isScenario(file: string): boolean {
  return (
    file.endsWith('.scenario.test.ts') || scenarioFolders.some((folder) => file.startsWith(folder))
  );
}

/** What both leave to `npm run test:pages`: pages in a browser. */
export function isBrowserTest(file: string): boolean {
  return file.includes('/browser/');
}

/** Faults, kills and crashes: their temporary files are on a disk, even where those of others are in memory. */
export function keepsToDisk(file: string): boolean {
  return isScenario(file) && /^faults\/|kill|crash/.test(file);
}
