/** The runtimes of the spec, oldest first as it lists them. */
export const runtimeNames = [
  'nodejs',
  'nodejs4.3',
  'nodejs6.10',
  'nodejs8.10',
  'nodejs10.x',
  'nodejs12.x',
  'nodejs14.x',
  'nodejs16.x',
  'java8',
  'java8.al2',
  'java11',
  'python2.7',
  'python3.6',
  'python3.7',
  'python3.8',
  'python3.9',
  'dotnetcore1.0',
  'dotnetcore2.0',
  'dotnetcore2.1',
  'dotnetcore3.1',
  'dotnet6',
  'dotnet8',
  'nodejs4.3-edge',
  'go1.x',
  'ruby2.5',
  'ruby2.7',
  'provided',
  'provided.al2',
  'nodejs18.x',
  'python3.10',
  'java17',
  'ruby3.2',
  'ruby3.3',
  'ruby3.4',
  'python3.11',
  'nodejs20.x',
  'provided.al2023',
  'python3.12',
  'java21',
  'python3.13',
  'nodejs22.x',
  'nodejs24.x',
  'python3.14',
  'java25',
  'dotnet10',
] as const;

/** What the service takes for a create or an update, in the order in which its message prints them. */
export const supportedRuntimes: readonly string[] = [
  'nodejs20.x',
  'python3.14',
  'provided.al2023',
  'python3.12',
  'python3.13',
  'nodejs24.x',
  'nodejs22.x',
  'java25',
  'python3.10',
  'python3.11',
  'java21',
  'ruby3.3',
  'ruby3.4',
  'ruby3.2',
  'python3.8',
  'python3.9',
  'java17',
  'nodejs16.x',
  'dotnet10',
  'dotnet8',
  'java11',
  'dotnet6',
  'nodejs18.x',
  'provided.al2',
  'java8.al2',
];

/** Newer than the spec; taken, since clients of today may name them. */
export const newerRuntimes: readonly string[] = [
  'ruby4.0',
  'nodejs26.x',
  'python3.15',
  'java8.al2023',
  'java11.al2023',
  'java17.al2023',
];

/** Runtimes whose published versions can be started from a snapshot. */
export const snapStartRuntimes: readonly string[] = [
  'java11',
  'java17',
  'java21',
  'java25',
  'python3.12',
  'python3.13',
  'python3.14',
  'dotnet8',
  'dotnet10',
];

export type RuntimeStanding = 'supported' | 'deprecated' | 'unknown';

export function runtimeStanding(name: string): RuntimeStanding {
  if (supportedRuntimes.includes(name) || newerRuntimes.includes(name)) return 'supported';
  return (runtimeNames as readonly string[]).includes(name) ? 'deprecated' : 'unknown';
}
