import type { Log } from '#platform/log.ts';
import type { Settings } from '#settings/setting-values.ts';

/** Not refused: a balancer that passes connections on transparently needs no trust. */
export function warnWithoutProxies(
  { cluster, trustedProxies }: Pick<Settings, 'cluster' | 'trustedProxies'>,
  log: Pick<Log, 'warn'>,
): void {
  if (!cluster || trustedProxies.length > 0) return;
  log.warn(
    {},
    'HOB_TRUSTED_PROXIES is not set: all clients behind the balancer of this cluster count as one address, whose limits they share and with whose wrong passwords they are locked out. Set it to the address of the balancer',
  );
}
