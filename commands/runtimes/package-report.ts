import type { InstalledRuntimes } from '#functions/runtimes/runtimes.ts';
import { packagedRuntimes, type PackageSet } from '#functions/runtimes/runtime-packages.ts';

/** Packages that a line names; the others are counted. */
const namedMax = 1;

/** A line for each runtime that the AWS SDK can be added to. */
export function packageSummary(sets: readonly PackageSet[]): string[] {
  return packagedRuntimes.map((runtime) => {
    const set = sets.find((each) => each.runtime === runtime);
    const found = Object.entries(set?.versions ?? {});
    const [first] = found;
    if (!first) return `  ${runtime.padEnd(18)} no AWS SDK: hob runtimes add ${runtime}`;
    const more = found.length > namedMax ? ` and ${found.length - namedMax} more` : '';
    return `  ${runtime.padEnd(18)} ${first[0]} ${first[1]}${more}`;
  });
}

/** Every package with its version, and whether the running server gives it to functions already. */
export function installedPackages(
  sets: readonly PackageSet[],
  { packaged = {} }: Pick<InstalledRuntimes, 'packaged'>,
): string[] {
  if (sets.length === 0) return packageSummary(sets);
  return sets.flatMap(({ runtime, folder, versions }) => [
    `  ${runtime}${packaged[runtime] === folder ? '' : ', when the server is restarted'}`,
    ...Object.entries(versions).map(([name, version]) => `    ${name} ${version}`),
  ]);
}

/** Every package with its version. */
export function packageReport(sets: readonly PackageSet[]): string[] {
  if (sets.length === 0) return packageSummary(sets);
  return sets.flatMap(({ runtime, versions }) => [
    `${runtime}:`,
    ...Object.entries(versions).map(([name, version]) => `  ${name} ${version}`),
  ]);
}
