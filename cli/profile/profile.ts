/** The global options that decide, as given on the command line. */
export interface ProfileOptions {
  readonly profile: string | undefined;
  readonly region: string | undefined;
  readonly endpointUrl: string | undefined;
  readonly output: string | undefined;
  readonly caBundle: string | undefined;
  readonly binaryFormat: string | undefined;
  readonly autoPrompt: string | undefined;
}

/** All that the environment and the configuration files decide for a command. */
export interface Profile {
  readonly name: string;
  readonly region: string | undefined;
  /** Undefined: none is configured, and the endpoint of AWS is meant. */
  readonly endpointUrl: string | undefined;
  /** Not checked: a word of a file or of the environment. */
  readonly output: string;
  /** The pager's command line; undefined: the built-in choice. Empty: none. */
  readonly pager: string | undefined;
  readonly binaryFormat: string;
  /** on, on-partial or off. */
  readonly autoPrompt: string;
  readonly caBundle: string | undefined;
  readonly retries: Retries;
  /** Looked up when a request is signed, so that commands without one need none. None at all is an error. */
  readonly findCredentials: () => Promise<Credentials>;
}

export interface Retries {
  /** The first attempt included. */
  readonly attemptsMax: number;
}

/** What requests are signed with. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Where they were found, for `--debug`. */
  readonly source: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Of the variables, the first that is set to something. */
export function firstSet(environment: Environment, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}
