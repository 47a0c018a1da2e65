import { CliError } from '../context/errors.ts';
import type { ProgramRunner } from '../programs/command-line.ts';
import { type Credentials, type Environment, firstSet } from './profile.ts';
import { type IniSection, textIn } from './ini-file.ts';
import { configSection, type ProfileFiles } from './profile-files.ts';

export interface CredentialSources {
  readonly environment: Environment;
  readonly files: ProfileFiles;
  readonly profile: string;
  /** Whether `--profile` named the profile: then the keys of the environment are ignored, as in the AWS CLI. */
  readonly isProfileOption: boolean;
  readonly now: () => number;
  readonly runProgram?: ProgramRunner;
}

/** The first source that has any; one with half of a pair is a mistake, not a reason to look on. */
export async function findCredentials(sources: CredentialSources): Promise<Credentials> {
  const { environment, isProfileOption, files, profile } = sources;
  const config = configSection(files, profile);
  const found =
    (isProfileOption ? undefined : fromEnvironment(environment)) ??
    fromSection(files.credentials.get(profile), 'shared-credentials-file') ??
    (await fromProcess(config, sources)) ??
    fromSection(config, 'config-file');
  if (found !== undefined) return found;
  throw new CliError(
    253,
    'Unable to locate credentials. You can configure credentials by running "hob functions configure".',
  );
}

function fromEnvironment(environment: Environment): Credentials | undefined {
  const accessKeyId = firstSet(environment, 'AWS_ACCESS_KEY_ID');
  if (accessKeyId === undefined) return undefined;
  const secretAccessKey = firstSet(environment, 'AWS_SECRET_ACCESS_KEY');
  if (secretAccessKey === undefined) throw partial('env', 'AWS_SECRET_ACCESS_KEY');
  const sessionToken = firstSet(environment, 'AWS_SESSION_TOKEN', 'AWS_SECURITY_TOKEN');
  return credentials({ accessKeyId, secretAccessKey, sessionToken, source: 'env' });
}

function fromSection(section: IniSection | undefined, source: string): Credentials | undefined {
  const accessKeyId = textIn(section, 'aws_access_key_id');
  if (accessKeyId === undefined) return undefined;
  const secretAccessKey = textIn(section, 'aws_secret_access_key');
  if (secretAccessKey === undefined) throw partial(source, 'aws_secret_access_key');
  const sessionToken =
    textIn(section, 'aws_session_token') ?? textIn(section, 'aws_security_token');
  return credentials({ accessKeyId, secretAccessKey, sessionToken, source });
}

async function fromProcess(
  section: IniSection | undefined,
  sources: CredentialSources,
): Promise<Credentials | undefined> {
  const command = textIn(section, 'credential_process');
  if (command === undefined) return undefined;
  const { credentialsFromProcess } = await import('./credential-process.ts');
  return credentialsFromProcess(command, sources);
}

export function credentials(found: {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  readonly source: string;
}): Credentials {
  const { sessionToken, ...rest } = found;
  return sessionToken === undefined ? rest : { ...rest, sessionToken };
}

const partial = (source: string, missing: string): CliError =>
  new CliError(255, `Partial credentials found in ${source}, missing: ${missing}`);
