import { storageFailure } from '#platform/storage-failure.ts';

import type { EnvironmentPools } from '../environments/environment-pools.ts';
import type { StartFailure, Subject } from '../environments/subject.ts';

export interface Prepared {
  readonly failure: StartFailure | undefined;
  /** A fault of ours; to be thrown when the version is settled. */
  readonly fault?: Error;
}

/**
 * Starts an environment ahead. A fault of ours settles the version too, or nobody could change it again; but where storage
 * fails it is thrown, and tried again until that has passed.
 */
export async function prepare(
  environments: Pick<EnvironmentPools, 'prepare'>,
  subject: Subject,
): Promise<Prepared> {
  try {
    return { failure: await environments.prepare(subject) };
  } catch (error) {
    if (storageFailure(error)) throw error;
    const fault = error instanceof Error ? error : new Error(String(error));
    const text =
      'The service failed while it prepared the function. Its operator finds the reason in the log.';
    return { failure: { code: 'InternalError', text }, fault };
  }
}
