import { LambdaClient } from '@aws-sdk/client-lambda';

import { accessKey } from '../scenarios/function-service.ts';
import { NotDone } from '../scenarios/load.ts';
import type { Journal } from './journal.ts';

export interface ClientOptions {
  readonly url: string;
  readonly login: string;
  readonly token: string;
  readonly journal: Journal;
  /** Statuses that refuse a request without breaking a promise. */
  readonly excused: readonly number[];
}

export interface ApiResponse {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly body: any;
}

/** Sends requests to the balancer; a response that was not wanted ends the round of the client. */
export class Client {
  readonly url: string;
  readonly login: string;
  readonly token: string;
  readonly journal: Journal;
  /** The AWS SDK, which sends nothing twice: each refusal is to be seen. */
  readonly lambda: LambdaClient;
  readonly #excused: readonly number[];

  constructor({ url, login, token, journal, excused }: ClientOptions) {
    this.url = url;
    this.login = login;
    this.token = token;
    this.journal = journal;
    this.#excused = excused;
    const credentials = accessKey;
    const options = { endpoint: url, region: 'us-east-1', credentials, maxAttempts: 1 };
    this.lambda = new LambdaClient(options);
  }

  async send(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    const response = await fetch(`${this.url}/api/v3${path}`, {
      method,
      headers: { authorization: `token ${this.token}`, 'user-agent': 'cluster' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  }

  async ask(
    method: string,
    path: string,
    body: unknown,
    wanted: readonly number[],
  ): Promise<ApiResponse> {
    const response = await this.send(method, path, body);
    if (wanted.includes(response.status)) return response;
    this.#note(response.status, `${method} ${path}: ${JSON.stringify(response.body)}`);
    throw new NotDone(String(response.status));
  }

  /** A call of the AWS SDK. Conflicts and throttling end the round as well. */
  async call<T>(what: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const status = statusOf(error);
      if (status === undefined) throw error;
      if (![409, 429].includes(status)) this.#note(status, `${what}: ${String(error)}`);
      throw new NotDone(String(status));
    }
  }

  #note(status: number, text: string): void {
    if (!this.#excused.includes(status)) {
      this.journal.unexpected.push(`${status} ${text}`.slice(0, 300));
    }
  }

  close(): void {
    this.lambda.destroy();
  }
}

/** Of a response that refuses; undefined when there was none, or when one with a status of success broke off. */
export function statusOf(error: unknown): number | undefined {
  const status: unknown = Object(Object(error).$metadata).httpStatusCode;
  return typeof status === 'number' && status >= 300 ? status : undefined;
}
