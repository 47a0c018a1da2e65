import { rateOwner } from '../http/rate-limit.ts';
import type { UserCaller } from '../model/caller.ts';

/** The error of a document for which too few points are left. */
export function rateLimited(caller: UserCaller): { type: 'RATE_LIMITED'; message: string } {
  // A user is not named by an address.
  const message = `API rate limit exceeded for ${rateOwner(caller, '')}.`;
  return { type: 'RATE_LIMITED', message };
}
