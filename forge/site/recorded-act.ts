import type { SiteAct } from '#platform/site-act.ts';

import { RefusalError } from '../errors/api-error.ts';
import type { Ports } from '../ports/ports.ts';

/** Does what a site administrator asks for, and records it, also where it is refused. */
export async function recordedAct<T>(
  { recordSiteAct }: Pick<Ports, 'recordSiteAct'>,
  act: Omit<SiteAct, 'errorCode'>,
  run: () => Promise<T>,
): Promise<T> {
  let errorCode: string | undefined;
  try {
    return await run();
  } catch (error) {
    errorCode = error instanceof RefusalError ? error.refusal.kind : 'failed';
    throw error;
  } finally {
    await recordSiteAct?.({ ...act, errorCode });
  }
}
