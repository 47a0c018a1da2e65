/** Execution environments without programs: a test decides when, and how, whatever they were asked for ends. */
import type { RuntimeEvent } from '../../../runtime-api/runtime-channel.ts';
import type { InitFailure } from '../../runtime-process.ts';
import type { VersionSpec } from '../../version-spec.ts';
import type {
  CreatedEnvironment,
  CreateEnvironment,
  ExecutionEnvironment,
  InvocationResult,
} from '../../execution-environment.ts';
import { noLog, type LogTail } from '../../../logs/environment-log.ts';

/** Something that an environment was asked for and has not answered. */
export interface Pending {
  readonly call: 'create' | 'initialise' | 'invoke' | 'report' | 'close';
  readonly environment: FakeEnvironment;
  readonly event?: RuntimeEvent;
  succeed(): void;
  fail(error: Error): void;
}

export class FakeEnvironment implements ExecutionEnvironment {
  readonly spec: VersionSpec;
  state: 'creating' | 'initialising' | 'ready' | 'gone' = 'creating';
  isClosed = false;
  expired = false;
  /** An event was not answered. */
  hasFailed = false;
  /** Events that it works on or still reports. */
  readonly events = new Set<RuntimeEvent>();
  readonly #host: FakeHost;
  #onLost: (() => void) | undefined;

  constructor(host: FakeHost, spec: VersionSpec) {
    this.#host = host;
    this.spec = spec;
  }

  initialise(): Promise<InitFailure | undefined> {
    this.state = 'initialising';
    return this.#host.pending<InitFailure | undefined>('initialise', this, undefined, undefined);
  }

  process(event: RuntimeEvent): Promise<InvocationResult> {
    this.#host.delivered(this, event);
    this.events.add(event);
    const ended = (): boolean => this.events.delete(event);
    const logTail = Promise.withResolvers<LogTail>();
    const result: InvocationResult = {
      outcome: { kind: 'response', payload: event.payload },
      logTail: logTail.promise,
    };
    return this.#host.pending('invoke', this, event, result).then(
      (answered) => {
        const reported = this.#host.pending('report', this, event, noLog);
        reported.finally(ended).then(logTail.resolve, logTail.reject);
        return answered;
      },
      (error: unknown) => {
        ended();
        this.hasFailed = true;
        throw error;
      },
    );
  }

  async recovered(): Promise<void> {}

  isExpired(): boolean {
    return this.expired;
  }

  close(): Promise<void> {
    this.#host.closed(this);
    this.isClosed = true;
    this.state = 'gone';
    return this.#host.pending<void>('close', this, undefined, undefined);
  }

  onLost(listener: () => void): void {
    this.#onLost = listener;
  }

  lose(): void {
    this.state = 'gone';
    this.#onLost?.();
  }
}

/** What all fakes have in common: what is pending, and what must never happen. */
export class FakeHost {
  readonly environments = new Set<FakeEnvironment>();
  readonly waiting: Pending[] = [];
  /** What went wrong; empty when the pool keeps its rules. */
  readonly broken: string[] = [];
  onDelivery: (environment: FakeEnvironment, event: RuntimeEvent) => void = () => {};
  onCreate: (spec: VersionSpec) => void = () => {};
  onClose: (environment: FakeEnvironment) => void = () => {};

  readonly create: CreateEnvironment = async (spec) => {
    const environment = new FakeEnvironment(this, spec);
    this.environments.add(environment);
    this.onCreate(spec);
    const created: CreatedEnvironment = { kind: 'created', environment };
    try {
      return await this.pending('create', environment, undefined, created);
    } catch (error) {
      environment.state = 'gone';
      environment.isClosed = true;
      throw error;
    }
  };

  pending<T>(
    call: Pending['call'],
    environment: FakeEnvironment,
    event: RuntimeEvent | undefined,
    value: T,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const entry: Pending = {
      call,
      environment,
      ...(event ? { event } : {}),
      succeed: () => {
        this.#done(entry);
        if (call === 'initialise' && environment.state === 'initialising')
          environment.state = 'ready';
        resolve(value);
      },
      fail: (error) => {
        this.#done(entry);
        reject(error);
      },
    };
    this.waiting.push(entry);
    return promise;
  }

  delivered(environment: FakeEnvironment, event: RuntimeEvent): void {
    if (environment.isClosed) this.broken.push('An event was given to a closed environment.');
    if (environment.state !== 'ready') this.broken.push('An environment got an event too early.');
    if (environment.events.size >= (environment.spec.concurrency ?? 1)) {
      this.broken.push('An environment got more events than it has slots.');
    }
    this.onDelivery(environment, event);
  }

  closed(environment: FakeEnvironment): void {
    if (environment.isClosed) this.broken.push('An environment was closed twice.');
    else this.onClose(environment);
  }

  #done(entry: Pending): void {
    this.waiting.splice(this.waiting.indexOf(entry), 1);
  }
}
