import type { CreateEnvironment } from '../execution-environment.ts';
import { startFailure } from '../start-failure.ts';
import type { StartFailure, VersionSpec } from '../version-spec.ts';
import type { PooledEnvironment } from './pooled-environment.ts';

export type StartOutcome =
  | { readonly kind: 'ready' }
  /** The pool closed it while it was made. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly failure: StartFailure }
  /** Of the service. */
  | { readonly kind: 'fault'; readonly error: unknown };

export interface StartOptions {
  /** Without an event. One that starts for an event is ready even if its init failed: the event repeats it, and reports why to its caller. */
  readonly isPrewarm: boolean;
  /** Called whenever the environment is lost, during the start or later. */
  readonly onLost: () => void;
}

/** Creates and initialises an environment; never rejects. */
export async function startEnvironment(
  create: CreateEnvironment,
  pooled: PooledEnvironment,
  spec: VersionSpec,
  { isPrewarm, onLost }: StartOptions,
): Promise<StartOutcome> {
  try {
    const created = await create(spec);
    if (created.kind === 'failed') return created;
    const { environment } = created;
    pooled.environment = environment;
    if (pooled.state === 'closed') return { kind: 'closed' };
    environment.onLost(onLost);
    const failure = await environment.initialise();
    if (!failure || !isPrewarm) return { kind: 'ready' };
    return { kind: 'failed', failure: startFailure(failure) };
  } catch (error) {
    return { kind: 'fault', error };
  }
}
