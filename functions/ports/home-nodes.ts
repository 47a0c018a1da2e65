import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as it arrived, whatever path the router got instead. */
export interface ArrivedRequest {
  readonly raw: IncomingMessage;
  readonly originalUrl: string;
}

/** A POST request of this server itself. */
export interface OwnRequest {
  readonly address: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The chain of requests that it continues. */
  readonly lineage: string | undefined;
}

export interface HomeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * The servers of an installation. Each function has a home, one of the live ones: it runs there and nowhere else, so that its concurrency
 * is counted in one process.
 */
export interface HomeNodes {
  /** Whether this server is the home of the function now. */
  isHome(functionName: string): boolean;
  /** How many servers are live, this one included. */
  readonly count: number;
  /**
   * Forwards the request, whose body nothing has read yet, to the home of the function, which answers it. False if this server has to answer: it is the home,
   * or another server has forwarded the request to it. Throws if the home cannot be reached and the client has got nothing.
   */
  forwardToHome(
    functionName: string,
    request: ArrivedRequest,
    response: ServerResponse,
  ): Promise<boolean>;
  /** Has the home of the function answer a request of this server. Undefined if this server has to; throws as `forwardToHome` does. */
  post(functionName: string, request: OwnRequest): Promise<HomeResponse | undefined>;
  /** Calls the listener after functions may have got other homes; returns what removes it. */
  onChange(listener: () => void): () => void;
}

/** A server that has its database to itself. */
export const onlyNode: HomeNodes = {
  isHome: () => true,
  count: 1,
  forwardToHome: async () => false,
  post: async () => undefined,
  onChange: () => () => {},
};
