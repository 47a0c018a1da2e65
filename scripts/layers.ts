import { posix } from 'node:path';

/** Folders that belong together, in the order in which they may import each other: each those that stand before it. */
interface Layer {
  readonly name: string;
  readonly folders: readonly string[];
}

/**
 * The layers of each part, the lowest first. A folder imports what stands before it, on a lower layer or on its own, so that no two folders
 * import each other. `.` is the files of the part itself; `*-routes.ts` is the route files of all folders.
 */
export const layers: Readonly<Record<string, readonly Layer[]>> = {
  platform: [{ name: 'platform', folders: ['.', 'sigv4', 'redis', 'database', 'zip'] }],
  web: [{ name: 'the kit of pages', folders: ['.'] }],
  forge: [
    {
      name: 'git',
      folders: [
        'git',
        'git/format',
        'git/commands',
        'git/repository',
        'git/transport',
        'git/process',
      ],
    },
    { name: 'shared types', folders: ['errors', 'json', 'model', 'ports'] },
    {
      name: 'events and access',
      folders: [
        'events',
        'accounts',
        'permissions',
        'auth',
        'auth/applications',
        'auth/apps',
        'auth/sessions',
      ],
    },
    { name: 'HTTP', folders: ['http', 'http/images'] },
    {
      name: 'repositories',
      folders: [
        'templates',
        'large-files',
        'repositories',
        'invitations',
        'collaborators',
        'teams',
        'statuses',
        'checks',
        'branches',
        'reactions',
        'stars',
        'subscriptions',
        'follows',
        'ssh-keys',
      ],
    },
    { name: 'issues', folders: ['labels', 'milestones', 'issues'] },
    {
      name: 'pulls',
      folders: [
        'commits',
        'commit-comments',
        'pulls',
        'reviews',
        'review-comments',
        'ref-updates',
        'pulls/operations',
      ],
    },
    { name: 'code', folders: ['git-data', 'contents', 'function-code', 'releases', 'deployments'] },
    {
      name: 'readers of everything',
      folders: ['activity', 'webhooks', 'notifications', 'site', 'search'],
    },
    {
      name: 'REST and GraphQL',
      folders: [
        'routing',
        'graphql/schema',
        'graphql/engine',
        'graphql/resolvers',
        'graphql',
        '*-routes.ts',
      ],
    },
    {
      name: 'other ways in',
      folders: ['git-http', 'ssh', 'imports', 'web/kit', 'web/parts', 'web/pages', 'web'],
    },
    { name: 'the service', folders: ['.'] },
  ],
  functions: [
    { name: 'shared types', folders: ['errors', 'json', 'model', 'keys'] },
    { name: 'signatures', folders: ['signing', 'access-keys', 'audit'] },
    {
      name: 'launcher',
      folders: [
        'launcher/process',
        'launcher',
        'launcher/cgroups',
        'launcher/storage',
        'launcher/network',
        'launcher/sandbox',
        'launcher/host-probe',
        'launcher/supervisor',
      ],
    },
    {
      name: 'code',
      folders: [
        'code/archives',
        'code/zip',
        'code/images',
        'code/objects',
        'ports',
        'code',
        'configured-resources',
        'runtimes',
      ],
    },
    {
      name: 'configuration',
      folders: [
        'recursion',
        'layers',
        'configuration',
        'versions',
        'tags',
        'code-signing',
        'permissions',
        'urls',
      ],
    },
    { name: 'environments', folders: ['logs', 'runtime-api', 'environments', 'environments/pool'] },
    {
      name: 'invocations',
      folders: [
        'invocation',
        'concurrency',
        'provisioning',
        'aliases',
        'events',
        'durable-executions',
      ],
    },
    {
      name: 'small resources',
      folders: [
        'capacity-providers',
        'runtime-management',
        'test-events',
        'added-resources',
        'event-source-mappings',
        'retention',
        'push-deployments',
      ],
    },
    { name: 'HTTP', folders: ['http', '*-routes.ts'] },
    {
      name: 'other ways in',
      folders: [
        'cloudwatch-logs',
        'other-services',
        'function-urls',
        'webhook-targets',
        'web/kit',
        'web/parts',
        'web/pages',
        'web',
      ],
    },
    { name: 'the service', folders: ['.'] },
  ],
  cli: [
    { name: 'context', folders: ['context'] },
    { name: 'values', folders: ['validation', 'wire', 'input', 'operations'] },
    { name: 'output', folders: ['programs', 'query', 'output'] },
    { name: 'service', folders: ['profile', 'signing', 'connection', 'calls'] },
    { name: 'commands', folders: ['skeleton', 'help', 'prompt', 'commands'] },
    { name: 'the client', folders: ['.'] },
  ],
};

const routeFiles = '*-routes.ts';

/** `labels/label-routes.ts`: the endpoints or operations of a resource. */
export function isRouteFile(path: string): boolean {
  return /^(forge|functions)\/.*-routes\.ts$/.test(path);
}

/** What a file imports that its layer may not, one sentence each. */
export function layerProblems(path: string, imports: readonly string[]): string[] {
  const [part = ''] = path.split('/');
  if (!(part in layers)) return [];
  const folder = folderWithin(part, path);
  const own = heightOf(part, folder);
  if (own === undefined) return [`${folder} has no layer: give it one in scripts/layers.ts.`];
  return imports
    .filter((target) => target.startsWith(`${part}/`))
    .map((target) => ({ target, below: folderWithin(part, target) }))
    .filter(({ below }) => below !== folder)
    .filter(({ below }) => (heightOf(part, below) ?? Infinity) > own)
    .map(
      ({ target, below }) =>
        `imports ${target}: ${below} does not stand below ${folder} (scripts/layers.ts). Move what both need to a lower layer.`,
    );
}

/** A page with its pictures of layers replaced by those of this file. */
export function layersPage(page: string): string {
  return page.replaceAll(
    /(<!-- layers of ([\w-]+) -->\n)[^]*?(<!-- end -->)/g,
    (_whole, start: string, part: string, end: string) =>
      `${start}\n\`\`\`\n${layersPicture(part)}\n\`\`\`\n\n${end}`,
  );
}

/** The layers of a part as a picture, the highest first. */
function layersPicture(part: string): string {
  const width = Math.max(...(layers[part] ?? []).map(({ name }) => name.length));
  return (layers[part] ?? [])
    .toReversed()
    .map(({ name, folders }) => `${name.padEnd(width)}  ${folders.map(shown).join(' ')}`)
    .join('\n');
}

function shown(folder: string): string {
  return folder === '.' ? '(its own files)' : folder;
}

/** The folder of a file within its part; route files stand on the layer of REST, whatever folder they are in. */
function folderWithin(part: string, path: string): string {
  if (isRouteFile(path)) return routeFiles;
  return posix.relative(part, posix.dirname(path)) || '.';
}

/** Where a folder stands, counted from below; a folder without an entry of its own stands where the one it is in does. */
function heightOf(part: string, folder: string): number | undefined {
  const all = (layers[part] ?? []).flatMap(({ folders }) => folders);
  if (folder === routeFiles) return all.indexOf(routeFiles);
  for (let name = folder; name !== '.'; name = posix.dirname(name)) {
    const found = all.indexOf(name);
    if (found !== -1) return found;
  }
  return folder === '.' ? all.indexOf('.') : undefined;
}
