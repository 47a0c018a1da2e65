import { openEndpoint } from '../../routing/endpoint.ts';
import { type RateWindow, representRate } from '../../http/rate-limit.ts';
import { ok } from '../../http/reply.ts';

/** Not charged to any budget (spec, Limits), and never taken from a cache. */
export const getRateLimit = openEndpoint({
  operation: 'rate-limit/get',
  method: 'GET',
  path: '/rate_limit',
  docs: 'rate-limit#get-rate-limit-status-for-the-authenticated-user',
  async handle({ caller, now, rate }) {
    const anonymous = caller.kind === 'anonymous';
    const core = representRate(rate);
    const body = {
      resources: {
        core,
        search: untouched(anonymous ? 10 : 30, Math.ceil(now / 1000) + 60),
        graphql: untouched(anonymous ? 0 : 5000, rate.reset),
        integration_manifest: untouched(anonymous ? 60 : 5000, rate.reset),
      },
      rate: core,
    };
    return ok(body, { cacheControl: 'no-cache' });
  },
});

/** Clients expect these budgets; nothing here can use them up. */
function untouched(limit: number, reset: RateWindow['reset']): { [member: string]: number } {
  return representRate({ limit, used: 0, reset });
}
