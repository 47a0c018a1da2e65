import { hiddenFromPushes } from './writable-refs.ts';

/** What a command may use before it is killed. */
export interface GitLimits {
  readonly seconds: number;
  readonly memoryBytes: number;
  /** Of each process by itself. */
  readonly processorSeconds?: number;
}

/** The empty tree, which git knows without having it stored. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/**
 * The complete environment of every git child: no configuration, attributes or replacement objects
 * from outside, a fixed locale and time zone, no interactive prompts.
 */
const environment: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_ATTR_SOURCE: emptyTree,
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  GIT_DEFAULT_HASH: 'sha1',
  GIT_DEFAULT_REF_FORMAT: 'files',
  // Nothing may be fetched by URL. Copies between our own repositories allow `file` for that one
  // command.
  GIT_ALLOW_PROTOCOL: 'none',
};

/**
 * Settings of every command. Repositories carry none of their own that matter: these are given on
 * the command line, so that they hold whatever a repository's file says.
 */
const settings: readonly string[] = [
  'safe.directory=*',
  'protocol.version=2',
  'core.hooksPath=/dev/null',
  'core.useReplaceRefs=false',
  'core.logAllRefUpdates=false',
  'core.fsync=objects,derived-metadata,reference',
  'core.fsyncMethod=fsync',
  // Waiting writers queue for the lock instead of failing after git's 0.1 seconds: a sync may take
  // longer than that.
  'core.filesRefLockTimeout=5000',
  'core.packedRefsTimeout=5000',
  'core.packedGitWindowSize=32m',
  'core.packedGitLimit=256m',
  'gc.auto=0',
  'maintenance.auto=false',
  'receive.autogc=false',
  'receive.advertisePushOptions=false',
  'receive.advertiseAtomic=true',
  'receive.updateServerInfo=false',
  // One pack for each push, whatever its size: syncing `objects/pack` then makes it durable.
  'receive.unpackLimit=1',
  'fetch.unpackLimit=1',
  'transfer.fsckObjects=true',
  'receive.fsckObjects=true',
  // What our repositories hold may be copied between them, even where a later git would refuse it
  // from a client.
  'fetch.fsckObjects=false',
  // Old histories of real projects contain these three errors, which are harmless.
  'receive.fsck.badTimezone=ignore',
  'receive.fsck.missingSpaceBeforeDate=ignore',
  'receive.fsck.zeroPaddedFilemode=ignore',
  'transfer.hideRefs=refs/internal/',
  ...hiddenFromPushes.map((prefix) => `receive.hideRefs=${prefix}`),
  'uploadpack.allowFilter=true',
  // Patterns of a client's own, which git compares with every path: a small request would take hours.
  'uploadpackfilter.sparse:oid.allow=false',
  'uploadpack.allowTipSHA1InWant=true',
  'uploadpack.allowReachableSHA1InWant=true',
  'pack.threads=1',
  'pack.windowMemory=64m',
];

export function gitEnvironment(added: Readonly<Record<string, string>>): Record<string, string> {
  return { ...environment, ...added };
}

export interface GitInvocation {
  readonly arguments: readonly string[];
  readonly repositoryPath: string | undefined;
  readonly limits: GitLimits;
  /** Settings of this command alone, as `name=value`. */
  readonly settings: readonly string[];
  /** Flush each answer at once, if `stdbuf` is available. */
  readonly unbuffered: boolean;
}

export interface GitCommandLine {
  readonly command: string;
  readonly arguments: readonly string[];
}

/**
 * The argument vector of a git command: limits around it, settings before it. Never seen by a
 * shell.
 */
export function gitCommandLine(tools: GitTools, invocation: GitInvocation): GitCommandLine {
  const { limits, repositoryPath } = invocation;
  const [command = 'git', ...rest] = [
    ...(tools.setpriv ? ['setpriv', '--pdeathsig', 'KILL', '--'] : []),
    ...(tools.prlimit ? ['prlimit', ...limitOptions(limits), '--'] : []),
    ...(invocation.unbuffered && tools.stdbuf ? ['stdbuf', '-o0'] : []),
    'git',
    ...[...settings, ...invocation.settings].flatMap((setting) => ['-c', setting]),
    ...(repositoryPath === undefined ? [] : [`--git-dir=${repositoryPath}`]),
    ...invocation.arguments,
  ];
  return { command, arguments: rest };
}

function limitOptions({ memoryBytes, processorSeconds }: GitLimits): string[] {
  const processor = processorSeconds === undefined ? [] : [`--cpu=${processorSeconds}`];
  return [`--data=${memoryBytes}`, '--core=0', ...processor];
}

/** The programs around git that this host offers, and git's own version. */
export interface GitTools {
  readonly version: string;
  /** Kills a child of ours when we die, so that no push goes on without us. */
  readonly setpriv: boolean;
  /** Limits a child's memory. */
  readonly prlimit: boolean;
  /** Makes `git merge-tree --stdin` answer line by line. */
  readonly stdbuf: boolean;
}
