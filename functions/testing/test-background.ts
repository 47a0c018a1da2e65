import { createBackgroundWork, type BackgroundWork } from '#platform/background.ts';

import { isTemporaryFault } from '../environments/start-failure.ts';

/** Work behind the answers as the service has it, but that what failed is tried again at once. */
export function createTestBackground(
  onFault: (error: unknown) => void = (error) => {
    throw error;
  },
): BackgroundWork {
  return createBackgroundWork({ onError: onFault, passes: isTemporaryFault, retryMilliseconds: 1 });
}
