/** All that the client sees of the machine it runs on, except files, so that tests run it in their own process. */
export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly isTerminal: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
  };
  /** Width of the terminal; 80 where there is none. */
  readonly columns: number;
  /** The user's home folder. */
  readonly home: string;
  /** The folder that relative paths start from. */
  readonly directory: string;
  /** Hob's version. */
  readonly version: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Instead of the network, for tests; undefined: HTTP. */
  readonly transport?: Transport;
}

export interface Sink {
  write(chunk: string | Uint8Array): unknown;
}

/** One exchange with the service, as the network would carry it. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

export interface TransportRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** `KMSKeyArn` on the command line: `kms-key-arn`. */
export function commandName(name: string): string {
  return name
    .replaceAll(/(.)([A-Z][a-z]+)/g, '$1-$2')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();
}
