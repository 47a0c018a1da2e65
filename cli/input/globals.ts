import { ClientError } from '../context/errors.ts';
import type { Given } from './argument-parser.ts';
import { readInteger } from './number-format.ts';

/** What the global options say; undefined where the option is absent and the profile decides. */
export interface Globals {
  readonly debug: boolean;
  readonly endpointUrl: string | undefined;
  readonly verifySsl: boolean;
  readonly paginate: boolean;
  readonly output: string | undefined;
  readonly query: string | undefined;
  readonly profile: string | undefined;
  readonly region: string | undefined;
  readonly color: string;
  readonly signRequest: boolean;
  readonly caBundle: string | undefined;
  /** Seconds; 0 waits for ever. */
  readonly readTimeout: number;
  readonly connectTimeout: number;
  readonly binaryFormat: string | undefined;
  readonly pager: boolean;
  readonly autoPrompt: 'on' | 'off' | undefined;
  readonly errorFormat: 'text' | 'json';
}

export function readGlobals(given: ReadonlyMap<string, Given>): Globals {
  if (given.has('cli-auto-prompt') && given.has('no-cli-auto-prompt'))
    throw new ClientError(
      252,
      'Both --cli-auto-prompt and --no-cli-auto-prompt cannot be specified at the same time.',
    );
  const text = (name: string): string | undefined => {
    const value = given.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    debug: given.has('debug'),
    endpointUrl: text('endpoint-url'),
    verifySsl: !given.has('verify-ssl'),
    paginate: !given.has('paginate'),
    output: text('output'),
    query: text('query'),
    profile: text('profile'),
    region: text('region'),
    color: text('color') ?? 'auto',
    signRequest: !given.has('sign-request'),
    caBundle: text('ca-bundle'),
    readTimeout: Number(readInteger(text('cli-read-timeout') ?? '60')),
    connectTimeout: Number(readInteger(text('cli-connect-timeout') ?? '60')),
    binaryFormat: text('cli-binary-format'),
    pager: !given.has('cli-pager'),
    autoPrompt: given.has('cli-auto-prompt')
      ? 'on'
      : given.has('no-cli-auto-prompt')
        ? 'off'
        : undefined,
    errorFormat: text('cli-error-format') === 'json' ? 'json' : 'text',
  };
}
