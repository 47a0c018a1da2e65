import { CliError } from '../context/errors.ts';
import { splitCommandLine } from '../programs/command-line.ts';
import { type CredentialSources, credentials } from './find-credentials.ts';
import type { Credentials } from './profile.ts';

/** Credentials that a program prints as JSON (`credential_process`). */
export async function credentialsFromProcess(
  command: string,
  { environment, now, ...sources }: Pick<CredentialSources, 'environment' | 'now' | 'runProgram'>,
): Promise<Credentials> {
  const runProgram =
    sources.runProgram ?? (await import('../programs/system-programs.ts')).runSystemProgram;
  const [program = '', ...args] = splitCommandLine(command);
  const result = await runProgram({ program, args, environment, input: '' });
  if (result.kind === 'unstartable') throw failed(result.message);
  if (result.status !== 0) throw failed(result.errors);
  const answer = parsed(result.output);
  const { Version: version, Expiration: expiration } = answer;
  if (version !== 1) {
    throw failed(
      `Unsupported version '${String(version)}' for credential process provider, supported versions: 1`,
    );
  }
  const accessKeyId = answer['AccessKeyId'];
  const secretAccessKey = answer['SecretAccessKey'];
  const sessionToken = answer['SessionToken'];
  if (typeof accessKeyId !== 'string') throw missing('AccessKeyId');
  if (typeof secretAccessKey !== 'string') throw missing('SecretAccessKey');
  if (typeof expiration === 'string' && Date.parse(expiration) <= now()) {
    throw failed(`The credentials expired at ${expiration}.`);
  }
  return credentials({
    accessKeyId,
    secretAccessKey,
    sessionToken: typeof sessionToken === 'string' ? sessionToken : undefined,
    source: 'custom-process',
  });
}

function parsed(output: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(output);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // The message below says as much, and the output may hold a secret that must not be shown.
  }
  throw failed('The output is not a JSON object.');
}

const missing = (key: string): CliError => failed(`Missing required key in response: ${key}`);

const failed = (detail: string): CliError =>
  new CliError(255, `Error when retrieving credentials from custom-process: ${detail}`);
