import { exitOnOutputError } from './cli/closed-output.ts';
import { OperatorError } from '#platform/operator-error.ts';

const commands = [
  'serve',
  'admin',
  'backup',
  'restore',
  'doctor',
  'runtimes',
  'dev-cert',
  'functions',
  'lambda',
  'configure',
  'completion',
  'examples',
] as const;

const ofTheServer: ReadonlySet<string> = new Set([
  'serve',
  'admin',
  'backup',
  'restore',
  'dev-cert',
]);

const usage = `Usage: hob COMMAND

  serve     start the forge and the function service (hob serve --help)
  admin     manage users, organizations, tokens and keys (hob admin --help)
  backup    back up a server while it runs (hob backup --help)
  restore   restore a backup to a new data directory (hob restore --help)
  doctor    show the isolation and the runtimes of this host (hob doctor --help)
  runtimes  add the AWS SDK to runtimes (hob runtimes --help)
  dev-cert  create a certificate for HTTPS on this machine (hob dev-cert --help)
  examples  run an example against a server: hob examples forge, functions or pair

  functions   manage the functions of a server (hob functions help); alias: lambda
  configure   save the URL and the keys of a server in a profile
  completion  print a completion script for bash, zsh or fish

  --version, --help
`;

/** The command's entry: picks the subcommand and loads only that. */
async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  // Whatever these make belongs to the server alone; what the client makes belongs to its user.
  if (ofTheServer.has(command ?? '')) process.umask(0o077);
  switch (command) {
    case 'serve':
      return (await import('./commands/serve/command.ts')).runServe(rest);
    case 'admin':
      return (await import('./commands/admin/command.ts')).runAdmin(rest);
    case 'backup':
      return (await import('./commands/backup/command.ts')).runBackup(rest);
    case 'restore':
      return (await import('./commands/backup/command.ts')).runRestore(rest);
    case 'doctor':
      return (await import('./commands/doctor/command.ts')).runDoctor(rest);
    case 'runtimes':
      return (await import('./commands/runtimes/command.ts')).runRuntimes(rest);
    case 'dev-cert':
      return (await import('./commands/serve/dev-cert-command.ts')).runDevCert(rest);
    case 'functions':
    case 'lambda':
    case 'configure':
    case 'completion':
      return runClient(args);
    case 'examples':
      process.stderr.write(
        'hob: the examples are shell scripts of the source code. Clone it, and run ./hob examples there.\n',
      );
      return 2;
    case '--version': {
      const { readVersion } = await import('./program-files.ts');
      process.stdout.write(`hob ${readVersion()}\n`);
      return 0;
    }
    case undefined:
    case 'help':
    case '--help':
    case '-h':
      (command === undefined ? process.stderr : process.stdout).write(usage);
      return command === undefined ? 2 : 0;
    default: {
      // Global options of the client may stand before its command.
      if (command.startsWith('--')) return runClient(args);
      const { didYouMean } = await import('#platform/did-you-mean.ts');
      const nearest = didYouMean(command, commands);
      const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
      process.stderr.write(`hob: unknown command "${command}".${hint}\n`);
      return 2;
    }
  }
}

async function runClient(args: readonly string[]): Promise<number> {
  // Only for speed: the imports below work without it.
  await import('./cli/module-resolve-hook.ts');
  const { startClient } = await import('./cli/main.ts');
  const { readVersion } = await import('./program-files.ts');
  return startClient(args, readVersion);
}

exitOnOutputError();
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  // It may have words of another server, such as a store of code, which must not control a terminal.
  const { visibleControls } = await import('#platform/visible-controls.ts');
  process.stderr.write(`hob: ${visibleControls(error.message)}\n`);
  process.exitCode = 1;
}
