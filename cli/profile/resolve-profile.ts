import { CliError } from '../context/errors.ts';
import type { ProgramRunner } from '../programs/command-line.ts';
import { findCredentials } from './find-credentials.ts';
import { textIn, wordIn, type IniSection } from './ini-file.ts';
import {
  configSection,
  type ProfileFiles,
  profilePaths,
  readProfileFiles,
  findSection,
} from './profile-files.ts';
import {
  type Environment,
  firstSet,
  type Profile,
  type ProfileOptions,
  type Retries,
} from './profile.ts';

/** What stands around the client, as far as profiles depend on it. */
interface ProfileContext {
  readonly environment: Environment;
  readonly home: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Runs `credential_process`; undefined: on this machine. */
  readonly runProgram?: ProgramRunner;
}

/** Options win over variables, variables over files. */
export function resolveProfile(options: ProfileOptions, context: ProfileContext): Profile {
  const { environment, now, runProgram } = context;
  const files = readProfileFiles(profilePaths(environment, context.home));
  const chosen = options.profile ?? firstSet(environment, 'AWS_PROFILE', 'AWS_DEFAULT_PROFILE');
  const name = chosen ?? 'default';
  if (chosen !== undefined && !exists(files, chosen)) {
    throw new CliError(255, `The config profile (${chosen}) could not be found`);
  }
  const section = configSection(files, name) ?? new Map();
  const configured = (setting: string): string | undefined => textIn(section, setting);
  return {
    name,
    region: options.region ?? regionOf(environment, configured('region')),
    endpointUrl: options.endpointUrl ?? configuredEndpoint(environment, files, section),
    output:
      options.output ??
      firstSet(environment, 'AWS_DEFAULT_OUTPUT') ??
      configured('output') ??
      'json',
    pager: environment['AWS_PAGER'] ?? wordIn(section, 'cli_pager') ?? environment['PAGER'],
    binaryFormat: options.binaryFormat ?? configured('cli_binary_format') ?? 'base64',
    autoPrompt:
      options.autoPrompt ??
      firstSet(environment, 'AWS_CLI_AUTO_PROMPT') ??
      configured('cli_auto_prompt') ??
      'off',
    caBundle: options.caBundle ?? firstSet(environment, 'AWS_CA_BUNDLE') ?? configured('ca_bundle'),
    retries: retriesOf(
      firstSet(environment, 'AWS_RETRY_MODE') ?? configured('retry_mode'),
      firstSet(environment, 'AWS_MAX_ATTEMPTS') ?? configured('max_attempts'),
    ),
    findCredentials: () =>
      findCredentials({
        environment,
        now,
        files,
        profile: name,
        isProfileOption: options.profile !== undefined,
        ...(runProgram === undefined ? {} : { runProgram }),
      }),
  };
}

function exists(files: ProfileFiles, profile: string): boolean {
  return configSection(files, profile) !== undefined || files.credentials.has(profile);
}

const regionOf = (environment: Environment, configured: string | undefined): string | undefined =>
  firstSet(environment, 'AWS_REGION', 'AWS_DEFAULT_REGION') ?? configured;

function retriesOf(mode: string | undefined, attempts: string | undefined): Retries {
  if (mode !== undefined && mode !== 'standard' && mode !== 'adaptive') {
    throw new CliError(
      255,
      `Invalid value provided to "mode": "${mode}" must be one of: "standard" or "adaptive"`,
    );
  }
  if (attempts === undefined) return { attemptsMax: 3 };
  if (!/^\s*[+-]?\d+\s*$/.test(attempts)) {
    throw new CliError(255, `invalid literal for int() with base 10: '${attempts}'`);
  }
  const attemptsMax = Number(attempts);
  if (attemptsMax >= 1) return { attemptsMax };
  throw new CliError(
    255,
    `Value provided to "max_attempts": ${attemptsMax} must be an integer greater than or equal to 1.`,
  );
}

/** The service's own setting wins over the one of all services, and a variable over a file of the same reach. */
function configuredEndpoint(
  environment: Environment,
  files: ProfileFiles,
  section: IniSection,
): string | undefined {
  const ignored =
    firstSet(environment, 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS') ??
    textIn(section, 'ignore_configured_endpoint_urls');
  if (ignored?.toLowerCase() === 'true') return undefined;
  return (
    firstSet(environment, 'AWS_ENDPOINT_URL_LAMBDA', 'AWS_ENDPOINT_URL') ??
    serviceEndpoint(files, section) ??
    textIn(section, 'endpoint_url')
  );
}

/** `services = x` of the profile leads to `[services x]` with a block for this service. */
function serviceEndpoint(files: ProfileFiles, section: IniSection): string | undefined {
  const services = textIn(section, 'services');
  if (services === undefined) return undefined;
  const block = findSection(files.config, 'services', services)?.get('lambda');
  return typeof block === 'object' ? block.get('endpoint_url') : undefined;
}
