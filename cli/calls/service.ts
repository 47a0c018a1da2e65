import type { Reply } from '../connection/send.ts';
import type { WireRequest } from '../wire/wire-request.ts';

/** The service as commands see it: signing, retries and timeouts are behind it. */
export interface Service {
  readonly send: (request: WireRequest) => Promise<Reply>;
}
