import { CliError } from '../context/errors.ts';
import { type Option, parseArgs } from '../input/argument-parser.ts';
import { globalOptions, type Globals } from '../input/globals.ts';
import { profilePaths } from '../profile/profile-files.ts';
import { writeProfile } from '../profile/write-profile.ts';
import { UnknownOptions } from '../context/usage.ts';
import type { CliContext } from '../context/cli-context.ts';

const options: readonly Option[] = [
  { name: 'access-key-id', arity: 'one' },
  { name: 'secret-access-key', arity: 'one' },
];

const optionNames = [...options, ...globalOptions].map(({ name }) => name);

const help = `hob configure [--profile NAME] [--endpoint-url URL] [--region REGION] [--output FORMAT]
              [--access-key-id ID] [--secret-access-key KEY]

Saves a server as a profile in ~/.aws/config and ~/.aws/credentials, where this client and the AWS tools find it.
Prompts for missing keys on a terminal. Other users of the machine can see a key on the command line while the
command runs; to avoid that, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
`;

/** Writes the profile of a server. */
export async function runConfigure(
  args: readonly string[],
  globals: Globals,
  context: CliContext,
): Promise<number> {
  if (args.includes('--help') || args[0] === 'help') {
    context.stdout.write(help);
    return 0;
  }
  const { given, rest } = parseArgs(args, options);
  if (rest.length > 0) throw new UnknownOptions(rest, optionNames);
  const option = (name: string): string | undefined => {
    const value = given.get(name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const { environment } = context;
  const name = globals.profile ?? 'default';
  const endpointUrl = globals.endpointUrl ?? 'http://localhost:3000';
  if (!URL.canParse(endpointUrl)) throw new CliError(255, `Invalid endpoint: ${endpointUrl}`);
  const keys = await keysOf(option, context);
  const region = globals.region ?? 'us-east-1';
  const paths = profilePaths(environment, context.home);
  await writeProfile({ name, region, endpointUrl, output: globals.output, ...keys }, paths);
  context.stderr.write(
    `Profile ${name}: ${endpointUrl}, ${region}. Written to ${paths.config} and ${paths.credentials}.\n`,
  );
  return 0;
}

interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

async function keysOf(
  option: (name: string) => string | undefined,
  context: CliContext,
): Promise<Keys> {
  const { environment } = context;
  const id = option('access-key-id') ?? environment['AWS_ACCESS_KEY_ID'];
  const secret = option('secret-access-key') ?? environment['AWS_SECRET_ACCESS_KEY'];
  if (id !== undefined && secret !== undefined) return { accessKeyId: id, secretAccessKey: secret };
  if (!context.isTerminal.stdin)
    throw new CliError(
      252,
      `${id === undefined ? 'Access key' : 'Secret key'} is missing. Pass --access-key-id and --secret-access-key, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    );
  const prompt = (await import('../prompt/prompt.ts')).openPrompt(context);
  const promptFor = async (label: string, secrecy: { secret?: true } = {}): Promise<string> => {
    const question = { question: `${label}: `, candidates: [], ...secrecy };
    const answer = (await prompt.ask(question)).trim();
    if (answer === '') throw new CliError(252, `${label} is missing.`);
    return answer;
  };
  try {
    return {
      accessKeyId: id ?? (await promptFor('Access key')),
      secretAccessKey: secret ?? (await promptFor('Secret key', { secret: true })),
    };
  } finally {
    prompt.close();
  }
}
