import { OperatorError } from '#platform/operator-error.ts';
import { nearestWord } from '#platform/nearest-word.ts';

const commands = ['serve', 'admin', 'doctor', 'dev-cert'] as const;

const usage = `Usage: hob COMMAND

  serve     serve the forge and the functions (hob serve --help lists every setting)
  admin     make users, organizations and tokens (hob admin --help)
  doctor    tell how this host runs and isolates functions
  dev-cert  make a certificate for HTTPS on this machine (hob dev-cert --help)

  --version, --help
`;

/** The command's entry: picks the subcommand and loads only that. */
async function main(words: readonly string[]): Promise<number> {
  const [command, ...rest] = words;
  switch (command) {
    case 'serve':
      return (await import('./serve/command.ts')).runServe(rest);
    case 'admin':
      return (await import('./admin/command.ts')).runAdmin(rest);
    case 'doctor':
      return (await import('./doctor/command.ts')).runDoctor(rest);
    case 'dev-cert':
      return (await import('./serve/dev-cert-command.ts')).runDevCert(rest);
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
      const nearest = nearestWord(command, commands);
      const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
      process.stderr.write(`hob: there is no command ${command}.${hint}\n`);
      return 2;
    }
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  process.stderr.write(`hob: ${error.message}\n`);
  process.exitCode = 1;
}
