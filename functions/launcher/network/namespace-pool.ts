/** Network namespaces with a listener at the service's address, made ahead: making one takes longer than starting a program. */
import { inBackground } from '#platform/in-background.ts';

import type { ServiceAddress } from '../launcher.ts';
import {
  makeNetworkNamespace,
  type NetworkNamespace,
  type NetworkTools,
} from './network-namespace.ts';

/** A burst of starts that is larger waits for its namespaces. */
const spareMax = 4;

/** Starts come first: a namespace is made when the one that took its predecessor has probably started. */
const pauseMilliseconds = 100;

export class NamespacePool {
  readonly service: ServiceAddress;
  readonly #tools: NetworkTools;
  readonly #spare: NetworkNamespace[] = [];
  #pause: NodeJS.Timeout | undefined;
  #filling: Promise<void> | undefined;
  #closed = false;

  private constructor(tools: NetworkTools, service: ServiceAddress) {
    this.#tools = tools;
    this.service = service;
  }

  /** Rejects where the service's address cannot be had. */
  static async open(tools: NetworkTools, service: ServiceAddress): Promise<NamespacePool> {
    const pool = new NamespacePool(tools, service);
    pool.#spare.push(await pool.#make());
    pool.#fillLater();
    return pool;
  }

  /** For one sandbox, which closes it. */
  async take(): Promise<NetworkNamespace> {
    const spare = this.#spare.pop();
    this.#fillLater();
    return spare ?? this.#make();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#pause);
    await Promise.allSettled([this.#filling]);
    for (const namespace of this.#spare.splice(0)) namespace.close();
  }

  #make(): Promise<NetworkNamespace> {
    return makeNetworkNamespace(this.#tools, this.service);
  }

  #fillLater(): void {
    if (this.#closed || this.#pause !== undefined || this.#filling !== undefined) return;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#filling = this.#fill();
      // A failure is logged; the next start tries again.
      inBackground(this.#filling);
    }, pauseMilliseconds);
  }

  async #fill(): Promise<void> {
    try {
      while (!this.#closed && this.#spare.length < spareMax) this.#spare.push(await this.#make());
    } finally {
      this.#filling = undefined;
    }
  }
}
