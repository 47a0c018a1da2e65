import { supportedRuntimes } from '#functions-contract/runtimes.ts';
import { enforcedSettings, type Enforced, type Isolation } from '#functions/launcher/isolation.ts';
import { planRuntime, type InstalledRuntimes } from '#functions/runtimes/runtimes.ts';

/** What this host can do for functions; `internet` says whether the launcher was asked for it. */
export function hostReport(
  isolation: Isolation,
  installed: InstalledRuntimes,
  { internet }: { readonly internet: boolean },
): string[] {
  const names = supportedRuntimes.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return [
    ...isolationReport(isolation),
    ...(internet ? [internetReport(isolation)] : []),
    '',
    ...runtimeReport(names, installed),
  ];
}

/** The tier, and a line for each thing that is enforced. */
export function isolationReport({ tier, enforced }: Isolation): string[] {
  return [
    `Isolation: ${tier} (${tiers[tier]})`,
    ...enforcedSettings.map((name) => {
      const { strength, by, advice } = enforced[name];
      const details = advice === undefined ? '' : `. ${advice}`;
      return `  ${names[name].padEnd(18)} ${strength.padEnd(8)} ${by}${details}`;
    }),
  ];
}

/** Whether functions can have public addresses only, which the launcher was asked to find out. */
export function internetReport({ noInternet }: Isolation): string {
  const found =
    noInternet ?? 'by pasta, with private addresses and those of the host refused by nft';
  const strength = noInternet === undefined ? 'full' : 'none';
  return `  ${'internet'.padEnd(18)} ${strength.padEnd(8)} ${found}`;
}

/** What runs each runtime on this host, or why nothing does. */
export function runtimeReport(runtimes: readonly string[], installed: InstalledRuntimes): string[] {
  return [
    'Runtimes:',
    ...runtimes.map((runtime) => {
      const plan = planRuntime({ runtime, handler: 'HANDLER' }, installed);
      const details = plan.kind === 'runs' ? plan.description : `not available: ${plan.reason}`;
      return `  ${runtime.padEnd(18)} ${details}`;
    }),
  ];
}

const tiers = {
  full: 'each function has its own namespaces, kernel limits and user',
  user: 'each function has its own namespaces; some limits are monitored, not enforced',
  container: 'no namespaces; limits are monitored, not enforced',
  bare: 'functions are not isolated from the host',
} as const satisfies Record<Isolation['tier'], string>;

const names = {
  timeout: 'timeout',
  memory: 'memory',
  cpu: 'processor',
  'temporary-storage': '/tmp',
  files: 'files of the host',
  network: 'network',
  user: 'user',
  'system-calls': 'system calls',
  processes: 'processes',
} as const satisfies Record<Enforced, string>;
